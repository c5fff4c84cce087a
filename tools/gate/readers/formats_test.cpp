// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The formats of other tools: their files in data, and what their users' bug reports tell of.
#include <fmt/format.h>

#include <cmath>

#include "tools/gate/readers/reader_test.h"
#include "tools/lib/atomic_file.h"

using namespace unit_test;
using namespace gate;
using result::Benchmark;
using result::Better;
using result::Class;
using result::Metric;
using result::Status;

using Loads = std::vector<std::vector<double>>;

// ---- Go ----

TEST(go_text_is_read)
{
  Reading reading = read_data("go/two_repetitions.txt");
  expect_eq(reading.format, std::string("Go benchmark text"));
  const char *key = R"({"gomaxprocs": 8, "pkg": "example.org/lookup"})";
  const Benchmark &lookup = benchmark_of(reading, "Lookup/n=1000", key);
  expect(metric_of(lookup, "time").samples == Loads{{1050}, {1061}});
  expect_eq(*lookup.iterations, 1e6);
  expect(metric_of(lookup, "allocs/op").kind == Class::Exact);
  expect_eq(reading.result.environment["cpu_model"].text(), std::string("Some CPU @ 2.00GHz"));
  expect_eq(reading.result.environment["arch"].text(), std::string("amd64"));
}

// input 43
TEST(go_text_of_no_iterations_keeps_its_values)
{
  Reading reading = read_data("go/two_repetitions.txt");
  const Benchmark &hits = benchmark_of(reading, "Hits", R"({"pkg": "example.org/lookup"})");
  expect(metric_of(hits, "hits/op").samples == Loads{{12.5}});
  expect(metric_of(hits, "hits/op").better == Better::Higher, "what its Unit line says");
  expect_has(all_remarks(reading), "line 8: 0 iterations");
}

TEST(go_text_units_tell_directions)
{
  Reading reading = read_text("Unit rounds assume=exact\n"
                              "BenchmarkA 1 5 ns/op 7 MB/s 3 rounds 4 B/op 2 queries/s\n");
  const Benchmark &a = benchmark_of(reading, "A");
  expect(metric_of(a, "time").better == Better::Lower && metric_of(a, "time").gated);
  expect(!metric_of(a, "MB/s").gated, "follows from the time");
  expect(metric_of(a, "rounds").better == Better::Unknown);
  expect(metric_of(a, "rounds").kind == Class::Exact);
  expect(metric_of(a, "B/op").may_be_zero);
  expect(metric_of(a, "queries/s").better == Better::Higher);
}

TEST(go_text_of_two_units_is_converted)
{
  Reading reading = read_text("BenchmarkA 1 900 ns/op\nBenchmarkA 1 1.1 us/op\n");
  expect_near(metric_of(benchmark_of(reading, "A"), "time").samples.at(1).at(0), 1100, 1e-9);
}

TEST(go_text_keys_that_vary_tell_benchmarks_apart)
{
  Reading reading = read_text("shards: 1\nBenchmarkA 1 5 ns/op\nshards: 2\nBenchmarkA 1 6 ns/op\n"
                              "shards: 1\nBenchmarkA 1 7 ns/op\nnote: x\n");
  expect(metric_of(benchmark_of(reading, "A", R"({"shards": "1"})"), "time").samples ==
         Loads{{5}, {7}});
  expect(metric_of(benchmark_of(reading, "A", R"({"shards": "2"})"), "time").samples == Loads{{6}});
  expect_eq(reading.result.environment.dump(), std::string(R"({"note":"x"})"));
}

TEST(go_text_broken_lines_are_told)
{
  Reading reading = read_text("BenchmarkA 1 5 ns/op x y\nBenchmarkA 1 NaN ns/op\nBenchmarkB\n"
                              "Benchmark 'x' started.\nBenchmarkC one 5 ns/op\n");
  expect_eq(reading.result.benchmarks.size(), 1u);
  expect_has(all_remarks(reading), "line 1 is broken from 'x' on");
  expect(std::isnan(metric_of(benchmark_of(reading, "A"), "time").samples.at(1).at(0)));
}

// ---- Google Benchmark ----

// input 11
TEST(google_json_with_nan_tokens)
{
  Reading reading = read_data("google/repetitions.json");
  expect_eq(reading.format, std::string("Google Benchmark JSON"));
  const Benchmark &lookup = benchmark_of(reading, "BM_Lookup/1024");
  const Metric &time = metric_of(lookup, "cpu_time");
  expect_eq(time.samples.size(), 2u);
  expect_eq(time.samples[0][0], 1000.0);
  expect(std::isnan(time.samples[1][0]), "-Infinity is no figure");
  expect_eq(metric_of(lookup, "real_time").samples.size(), 2u); // without the mean
  expect(!metric_of(lookup, "real_time").gated);
  const Metric &counter = metric_of(lookup, "hit_rate");
  expect(counter.better == Better::Unknown && std::isnan(counter.samples[0][0]));
  expect_eq(counter.samples[1][0], 0.25);
  expect_eq(reading.result.environment["cpus"].number(), 2.0);
}

TEST(google_json_errors_and_skips)
{
  Reading reading = read_data("google/repetitions.json");
  const Benchmark &broken = benchmark_of(reading, "BM_Broken");
  expect(broken.status == Status::Failed && broken.metrics.empty());
  expect_eq(broken.reason, std::string("no \"map\""));
  reading = read_text(R"({"context": {}, "benchmarks": [
    {"name": "a", "skipped": true, "skip_message": "no NUMA", "real_time": 0, "cpu_time": 0}]})");
  expect(benchmark_of(reading, "a").status == Status::Skipped);
}

// Whichever repetition it was that failed.
TEST(google_json_failed_repetition)
{
  std::string good =
                  R"({"name": "a", "iterations": 5, "real_time": 1, "cpu_time": 1, "counter": 2})",
              bad = R"({"name": "a", "error_occurred": true, "error_message": "no memory"})";
  for (const std::string &entries : {bad + "," + good, good + "," + bad}) {
    Reading reading = read_text(R"({"context": {}, "benchmarks": [)" + entries + "]}");
    const Benchmark &benchmark = benchmark_of(reading, "a");
    expect(benchmark.status == Status::Ok && benchmark.metrics.size() == 3);
    expect_eq(benchmark.dropped, 1u);
    expect_eq(benchmark.first_dropped, "no memory");
  }
  Reading reading = read_text(R"({"context": {}, "benchmarks": [)" + bad + "," + bad + "]}");
  expect(benchmark_of(reading, "a").status == Status::Failed);
  expect_eq(benchmark_of(reading, "a").reason, "no memory");
}

TEST(google_json_time_that_is_judged)
{
  Reading reading = read_text(R"({"context": {}, "benchmarks": [
    {"name": "a/real_time", "real_time": 2, "cpu_time": 1, "time_unit": "us"},
    {"name": "b", "real_time": 2, "cpu_time": 1, "bytes_per_second": 7}]})");
  expect(metric_of(benchmark_of(reading, "a/real_time"), "real_time").gated);
  expect_eq(metric_of(benchmark_of(reading, "a/real_time"), "real_time").unit, std::string("us"));
  expect(metric_of(benchmark_of(reading, "b"), "cpu_time").gated);
  expect(metric_of(benchmark_of(reading, "b"), "bytes_per_second").better == Better::Higher);
}

TEST(google_json_of_aggregates_only)
{
  Reading reading = read_text(R"({"context": {}, "benchmarks": [
    {"name": "a_mean", "run_name": "a", "run_type": "aggregate", "aggregate_name": "mean",
     "real_time": 3, "cpu_time": 3, "time_unit": "ns"},
    {"name": "a_median", "run_name": "a", "run_type": "aggregate", "aggregate_name": "median",
     "real_time": 2, "cpu_time": 2, "time_unit": "ns"},
    {"name": "a_BigO", "run_name": "a", "big_o": "N", "cpu_coefficient": 1}]})");
  expect(metric_of(benchmark_of(reading, "a"), "cpu_time").samples == Loads{{2}});
  expect_has(all_remarks(reading), "aggregates only for 1 benchmarks");
}

TEST(google_json_several_runs_in_one_file)
{
  std::string text = read_file(std::string(READERS_DATA) + "/google/repetitions.json");
  Reading reading = read_text(text + text + "\n");
  expect_eq(metric_of(benchmark_of(reading, "BM_Lookup/1024"), "cpu_time").samples.size(), 4u);
  expect_has(all_remarks(reading), "2 runs in one file");
}

// input 37
TEST(google_json_that_breaks_off)
{
  std::string text = read_file(std::string(READERS_DATA) + "/google/repetitions.json");
  for (size_t length : {text.size() / 4, text.size() / 2, text.size() - 4})
    expect_throws([&] { read_text(text.substr(0, length)); },
                  fmt::format("f: broken JSON at byte {} of {}", length, length));
  Reading reading = read_text(text.substr(0, text.size() - 10), true);
  expect_has(all_remarks(reading), "only in part: f: broken JSON at byte");
  expect_eq(metric_of(benchmark_of(reading, "BM_Lookup/1024"), "cpu_time").samples.size(), 2u);
}

TEST(google_json_wrong_members)
{
  auto wrong = [](const char *entries, const char *message) {
    expect_throws(
        [&] { read_text(fmt::format(R"({{"context": {{}}, "benchmarks": {}}})", entries)); },
        message);
  };
  wrong("[3]", "/benchmarks/0 is no object");
  wrong("[{}]", "/benchmarks/0 has no name");
  wrong(R"([{"name": "a", "real_time": 1}])", "/benchmarks/0 has no number 'cpu_time'");
  wrong(R"([{"name": "a", "real_time": "1", "cpu_time": 1}])", "has no number 'real_time'");
  wrong("7", "/benchmarks is no list");
  wrong(R"([{"name": "a", "real_time": 1, "cpu_time": 1},
            {"name": "a", "real_time": 1, "cpu_time": 1, "time_unit": "furlongs"}])",
        "'a' has metric 'cpu_time' in ns and in furlongs");
}

// ---- hyperfine ----

TEST(hyperfine_times_are_loads)
{
  Reading reading = read_data("hyperfine/two_commands.json");
  const Benchmark &sleep = benchmark_of(reading, "sleep 0.1");
  const Metric &time = metric_of(sleep, "time");
  expect_eq(time.samples.size(), 2u); // without the run that failed
  expect_eq(time.samples[0][0], 0.1021);
  expect_eq(sleep.dropped, 1u);
  expect_has(all_remarks(reading), "run 3 ended with an error");
  expect_eq(metric_of(sleep, "memory").samples.at(0).at(0), 2.0);
  benchmark_of(reading, "work -n 3", R"({"n": "3"})");
}

TEST(hyperfine_odd_files)
{
  Reading reading = read_text(R"({"results": [{"command": "x", "mean": 2.5}]})");
  expect(metric_of(benchmark_of(reading, "x"), "time").samples == Loads{{2.5}});
  reading = read_text(R"({"results": [{"command": "x", "times": [1], "exit_codes": [7]}]})");
  expect(benchmark_of(reading, "x").status == Status::Failed);
  expect_throws([] { read_text(R"({"results": [{"command": "x"}]})"); },
                "/results/0 has neither 'times' nor a number 'mean'");
  expect_throws([] { read_text(R"({"results": [{"title": "x"}]})"); }, "/results/0 has no command");
}

// ---- KTAP ----

TEST(ktap_is_read)
{
  Reading reading = read_data("ktap/nested.tap");
  expect_eq(reading.format, std::string("KTAP"));
  auto failed = [&](const char *name) {
    return metric_of(benchmark_of(reading, name), "failed").samples.at(0).at(0) != 0;
  };
  expect(!failed("lpm_trie/create"));
  expect(failed("lpm_trie/update") && failed("lpm_trie"));
  expect_eq(benchmark_of(reading, "lpm_trie/update").reason, std::string("value is 7, expected 8"));
  expect(benchmark_of(reading, "bloom_filter").status == Status::Skipped);
  expect(benchmark_of(reading, "strncmp").status == Status::Skipped);
  expect(!failed("hash_map"), "failing is what was expected");
  expect_eq(reading.remarks.size(), 0u);
}

TEST(ktap_as_the_runner_of_kselftest_nests_it)
{
  Reading reading = read_text("TAP version 13\n1..2\n# selftests: bpf: test_progs\n"
                              "# TAP version 13\n# 1..2\n# ok 1 alpha\n# # ok, let us see\n"
                              "# not ok 2 beta # TIMEOUT 45 seconds\n"
                              "not ok 1 selftests: bpf: test_progs # exit=1\n");
  benchmark_of(reading, "selftests: bpf: test_progs/alpha");
  const Benchmark &beta = benchmark_of(reading, "selftests: bpf: test_progs/beta");
  expect(beta.status == Status::Failed);
  expect_eq(beta.reason, std::string("45 seconds"));
  expect_has(all_remarks(reading), "2 tests planned, 1 ran");
}

TEST(ktap_that_breaks_off)
{
  Reading reading = read_text("KTAP version 1\n1..3\nok 1 a\n  KTAP version 1\n  1..2\n  ok 1 b\n"
                              "Bail out! no memory\n");
  expect_has(all_remarks(reading), "3 tests planned, 1 ran");
  expect_has(all_remarks(reading), "a test that did not end: 2 tests planned, 1 ran");
  expect_has(all_remarks(reading), "line 7: Bail out! no memory");
}

TEST(ktap_same_name_twice_failed_if_one_did)
{
  Reading reading = read_text("KTAP version 1\n1..2\nnot ok 1 a\nok 2 a\n");
  expect(benchmark_of(reading, "a").status == Status::Failed);
}

// Where something else was printed into the line of a test that the input has, too.
TEST(ktap_result_that_is_cut_into)
{
  Reading reading = read_text("KTAP version 1\n1..2\nok 1 a\nok 2 b\nKTAP version 1\n1..2\n"
                              "[    1.5] not ok 1 - a\nok b\nnot ok c\nit is ok 2 see\n");
  expect_eq(reading.result.benchmarks.size(), 2u);
  expect_eq(benchmark_of(reading, "a").first_dropped, "line 7 is '[    1.5] not ok 1 - a'");
  expect_eq(benchmark_of(reading, "b").dropped, 1u);
}

// ---- veristat ----

TEST(veristat_is_read)
{
  Reading reading = read_data("veristat/programs.csv");
  const char *file = R"({"file": "lpm_trie_bench.bpf.o"})";
  const Benchmark &lookup = benchmark_of(reading, "lookup", file);
  expect(metric_of(lookup, "failed").samples == Loads{{0}});
  expect(metric_of(lookup, "total_insns").samples == Loads{{1507}});
  expect(metric_of(lookup, "total_insns").kind == Class::Exact);
  const Benchmark &update = benchmark_of(reading, "update", file);
  expect(update.status == Status::Failed && update.failure == "verifier");
  expect_eq(update.metrics.size(), 1u);
}

TEST(veristat_odd_lines)
{
  Reading reading = read_text("file_name,prog_name,verdict,total_insns\r\n"
                              "\"a, b.o\",\"p\"\"q\",success,N/A\r\n"
                              "a.o,q\r\na.o,r,maybe,3\r\n\r\n"
                              "file_name,prog_name,verdict,total_insns\r\n");
  expect_eq(reading.result.benchmarks.size(), 2u);
  expect_eq(benchmark_of(reading, "p\"q", R"({"file": "a, b.o"})").metrics.size(), 1u);
  expect(benchmark_of(reading, "r", R"({"file": "a.o"})").status == Status::Failed);
  expect_has(all_remarks(reading), "line 3 has 2 fields, the header has 4");
  expect_has(all_remarks(reading), "line 4: verdict 'maybe'");
  reading = read_text("file_name,prog_name,verdict,total_insns\na.o,r,success,3\na.o,r,succ\n"
                      "a.o,r,success,1x3\n");
  expect_eq(benchmark_of(reading, "r", R"({"file": "a.o"})").dropped, 2u);
  expect_throws(
      [] { read_text("file_name,prog_name,total_insns_base,total_insns_comp\na,b,1,2\n"); },
      "a comparison that veristat made");
}
