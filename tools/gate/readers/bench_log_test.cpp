// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Logs of the kernel's bench: the real ones in data/bench_log, and what consoles do to them.
#include <fmt/format.h>

#include <cmath>

#include "tools/gate/readers/reader_test.h"
#include "tools/gate/readers/upstream_lines.h"
#include "tools/lib/atomic_file.h"

using namespace unit_test;
using namespace gate;
using result::Benchmark;
using result::Better;
using result::Class;
using result::Metric;
using result::Status;

static std::string log_text(const std::string &name)
{
  return read_file(std::string(READERS_DATA) + "/bench_log/" + name);
}

TEST(log_of_several_runs_has_a_load_for_each)
{
  Reading reading = read_data("bench_log/several-runs-one-log.log");
  expect_eq(reading.format, std::string("log of bench"));
  expect_eq(reading.result.benchmarks.size(), 4u);
  for (const Benchmark &benchmark : reading.result.benchmarks)
    for (const Metric &metric : benchmark.metrics)
      expect_eq(metric.samples.size(), 3u);
  const Metric &rate = metric_of(benchmark_of(reading, "lpm-trie-noop"), "throughput");
  expect(rate.better == Better::Higher && rate.kind == Class::Time && rate.gated);
  // The first interval of a run is warm-up.
  expect(rate.samples[0] == std::vector<double>{79.904, 81.198, 81.727, 81.568});
  expect(rate.samples[2] == std::vector<double>{81.222, 80.473, 78.449, 79.751});
}

TEST(log_warmup_is_what_the_summary_leaves_out)
{
  std::string text = "Setting up benchmark 'lpm-trie-noop'...\n";
  for (int i = 0; i < 6; i++)
    text += fmt::format("Iter {:3d} (  0.000us): hits {:8.3f}M/s (  1.000M/prod)\n", i, 10.0 + i);
  auto samples = [&](const std::string &more) {
    Reading reading = read_text(text + more);
    return metric_of(reading.result.benchmarks.at(0), "throughput").samples.at(0).size();
  };
  auto summary = [](double mean) {
    return fmt::format("Summary: throughput {:8.3f} ± 1.000 M ops/s ( 1.000M ops/prod), latency "
                       "  12.000 ns/op\n",
                       mean);
  };
  expect_eq(samples(summary(13.5)), 4u); // -w2: 12, 13, 14, 15
  expect_eq(samples(summary(13.0)), 5u); // -w1
  expect_eq(samples(summary(7.0)), 5u);  // of no warm-up: bench's default
  text = "$ ./bench -w4 lpm-trie-noop\n" + text;
  expect_eq(samples(summary(13.0)), 2u);
}

TEST(log_figures_of_every_family)
{
  Reading rate = read_data("bench_log/bloom-false-positive.log");
  const Metric &share = metric_of(benchmark_of(rate, "bloom-false-positive"), "false_positive");
  expect(share.kind == Class::Ratio && share.better == Better::Lower);
  expect_near(share.samples.at(0).at(0), 9.1427, .001);
  const Metric &speed = metric_of(benchmark_of(rate, "bloom-false-positive"), "throughput");
  expect_near(speed.samples.at(0).at(0), 36.17, .01); // 36171272 in 0.999962 s

  Reading hits = read_data("bench_log/hashmap-with-bloom-quiet.log");
  const Metric &drops = metric_of(hits.result.benchmarks.at(0), "drop_share");
  expect_near(drops.samples.at(0).at(0), 100 * .268 / 34.014, 1e-9);
  expect(!metric_of(hits.result.benchmarks.at(0), "drops").gated);

  Reading nop = read_data("bench_log/bpf-nop.log");
  expect_eq(metric_of(benchmark_of(nop, "bpf-nop"), "latency").samples.at(0).at(0), 1.18);
  expect_has(all_remarks(nop), "proportionality check failed");
}

TEST(log_memory_of_zero_is_unknown)
{
  Reading reading = read_data("bench_log/htab-mem.log");
  const Benchmark &benchmark = benchmark_of(reading, "htab-mem");
  for (const char *name : {"memory", "peak_memory"}) {
    expect(metric_of(benchmark, name).samples.empty());
    expect_has(metric_of(benchmark, name).reason, "could not be read");
  }
  expect_eq(metric_of(benchmark, "per_prod_op").samples.at(0).size(), 5u);
}

TEST(log_without_a_summary_has_failed)
{
  for (const char *name : {"error-fentry", "rename-base"}) {
    Reading reading = read_data(fmt::format("bench_log/{}.log", name));
    const Benchmark &benchmark = reading.result.benchmarks.at(0);
    expect(benchmark.status == Status::Failed);
    expect_has(benchmark.reason, "no Summary line: libbpf: prog '");
    expect_eq(benchmark.failure, std::string()); // -EPERM is not the verifier's word
    expect_has(all_remarks(reading), "it ends without figures: " + benchmark.reason);
    expect_eq(benchmark.dropped, 1u);
  }
  expect_throws([] { read_data("bench_log/error-args.log"); },
                "error-args.log: bench did not run, line 2: Invalid duration: 0");
}

TEST(log_of_a_program_that_the_verifier_refuses)
{
  Reading reading = read_text("libbpf: prog 'p': BPF program load failed: Permission denied\n"
                              "libbpf: prog 'p': -- BEGIN PROG LOAD LOG --\n"
                              "0: R1=ctx() R10=fp0\n"
                              "processed 1 insns\n"
                              "-- END PROG LOAD LOG --\n"
                              "Setting up benchmark 'strncmp-helper'...\n");
  expect_eq(benchmark_of(reading, "strncmp-helper").failure, std::string("verifier"));
}

TEST(log_that_loses_one_of_its_runs_keeps_the_others)
{
  std::string text = log_text("lpm-trie-insert.log");
  Reading reading =
      read_text(text + text.substr(0, text.find("Summary:")) + "Segmentation fault\n" + text);
  const Benchmark &benchmark = benchmark_of(reading, "lpm-trie-insert");
  expect(benchmark.status == Status::Ok && benchmark.reason.empty());
  expect_eq(metric_of(benchmark, "throughput").samples.size(), 2u);
  expect_has(all_remarks(reading), "no Summary line: Segmentation fault");
}

// input 53: whatever a console makes of it, the figures stay.
TEST(log_as_consoles_break_it)
{
  std::string text = log_text("bloom-lookup.log");
  Reading wanted = read_text(text);
  auto replaced = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    for (size_t at = 0; (at = changed.find(from, at)) != changed.npos; at += to.size())
      changed.replace(at, from.size(), to);
    return changed;
  };
  std::string timed =
      "2026-11-30T10:30:25.1234567Z " + replaced("\n", "\n2026-11-30T10:30:25.1234567Z ");
  for (const std::string &broken :
       {replaced("±", "?"), replaced("±", "\xb1"), replaced("\n", "\r\n"),
        replaced("\n", "\n[   45.101234] eth0: link is up\n"), replaced("Iter", "\x1b[1;32mIter"),
        replaced("\n", "\x1b[0m\n"), "# " + replaced("\n", "\n# "), "\xef\xbb\xbf" + text, timed,
        text.substr(0, text.size() - 1)}) {
    Reading reading = read_text(broken);
    const Metric &metric = metric_of(benchmark_of(reading, "bloom-lookup"), "throughput");
    expect(metric.samples == metric_of(benchmark_of(wanted, "bloom-lookup"), "throughput").samples);
  }
}

TEST(log_with_broken_lines_tells_them)
{
  std::string text = log_text("lpm-trie-insert.log");
  size_t third = text.find("Iter   3");
  Reading reading = read_text(text.insert(third + 20, "[  12.5] random: crng init done\n"));
  expect_has(all_remarks(reading), "line 6 cannot be read: 'Iter   3 (2978.545us");
  expect_eq(metric_of(benchmark_of(reading, "lpm-trie-insert"), "throughput").samples[0].size(),
            4u);
  // bench -p0
  reading = read_text("Setting up benchmark 'bloom-lookup'...\n"
                      "Summary: hits    0.000 ± 0.000M/s (   -nanM/prod), drops    0.000 ± "
                      "0.000M/s, total operations    0.000 ± 0.000M/s\n");
  expect(benchmark_of(reading, "bloom-lookup").status == Status::Failed);
  expect_has(benchmark_of(reading, "bloom-lookup").reason, "its Summary cannot be read (line 2)");
}

TEST(log_commands_give_names_and_parameters)
{
  std::string quiet = log_text("hashmap-with-bloom-quiet.log");
  Reading reading =
      read_text("root@vm:~# sudo ./bench -q -w1 -d5 -a -p1 --nr_entries 1000 hashmap-with-bloom\n" +
                quiet + "+ ./bench -q --nr_entries=2000 hashmap-with-bloom\n" + quiet + quiet);
  benchmark_of(reading, "hashmap-with-bloom", R"({"nr_entries": 1000})");
  benchmark_of(reading, "hashmap-with-bloom", R"({"nr_entries": 2000})");
  benchmark_of(reading, "unnamed-1");
  expect_has(all_remarks(reading), "called unnamed-1");

  auto parsed = [](const char *text) { return parse_bench_command(text).value(); };
  expect_eq(parsed("$ ./bench lpm-trie-lookup --random --nr_entries 10").name,
            std::string("lpm-trie-lookup"));
  expect_eq(parsed("./bench --random lpm-trie-lookup").parameters.dump(),
            std::string(R"({"random":true})"));
  expect_eq(parsed("/usr/bin/bench -p 4 -c2 rb-libbpf > log 2>&1").parameters.dump(),
            std::string(R"({"producers":4,"consumers":2})"));
  expect_eq(*parsed("[root@vm bpf]# taskset 1 ./bench-old -w3 x").warmup, 3u);
  for (const char *text : {"Usage: bench [OPTION...]", "the bench is fine", "libbpf: ./bench: x",
                           "[   45.1] bench[312]: segfault", "Try `bench --help' or more", ""})
    expect(!parse_bench_command(text), text);
}

TEST(log_tells_producers)
{
  Reading reading = read_text("Setting up benchmark 'bloom-lookup'...\n"
                              "Iter   0 (  1.000us): hits   80.000M/s ( 10.000M/prod), drops    "
                              "0.000M/s, total operations   80.000M/s\n"
                              "Summary: hits   81.001 ± 0.100M/s ( 10.125M/prod), drops    0.000 "
                              "± 0.000M/s, total operations   81.001 ± 0.100M/s\n");
  const Benchmark &benchmark = benchmark_of(reading, "bloom-lookup", R"({"producers": 8})");
  // One interval, and it was warm-up: the Summary is what is left.
  expect(metric_of(benchmark, "throughput").samples[0] == std::vector<double>{81.001});
}

TEST(log_producers_are_as_many_as_threads_can_be)
{
  auto producers = [](const std::string &rate, const char *share) {
    auto line =
        parse_upstream_line("Iter   4 ( -6.921us): hits " + rate + "M/s ( " + share + "M/prod)");
    expect(line.has_value(), rate);
    return line->producers.value_or(-1);
  };
  expect_eq(producers("81.001", "10.125"), 8);
  expect_eq(producers("1e6", "1"), 1000000);
  expect_eq(producers("1.000001e6", "1"), -1);
  expect_eq(producers(std::string(113, '3') + "79.751", "79.751"), -1); // no integer has as much
  expect_eq(producers("1e308", "0.05"), -1);                            // infinitely many
  expect_eq(producers("-8", "8"), -1);
  expect_eq(producers("0", "8"), -1);
}

TEST(log_lines_of_the_other_benches)
{
  auto figure = [](const char *text, const char *name) {
    auto line = parse_upstream_line(text);
    expect(line.has_value(), text);
    for (const auto &[shape, value] : line->figures)
      if (shape.name == name)
        return fmt::format("{} {}", value, shape.unit);
    return std::string("none");
  };
  expect_eq(figure("Iter   1 ( 12.000us): hits   41.123M/s important_hits    4.112M/s",
                   "important_throughput"),
            std::string("4.112 M ops/s"));
  expect_eq(figure("Summary: hits throughput   41.123 ± 0.100 M ops/s, hits latency   24.300 "
                   "ns/op, important_hits throughput    4.112 ± 0.010 M ops/s",
                   "throughput"),
            std::string("41.123 M ops/s"));
  expect_eq(figure("Iter   1 ( 12.000us): creates  123.456k/s (123.456k/prod)", "throughput"),
            std::string("123.456 k ops/s"));
  expect_eq(
      figure("Summary: creates  123.456 ± 1.000k/s (123.456k/prod), 12345 total", "throughput"),
      std::string("123.456 k ops/s"));
  expect_eq(figure("SUMMARY tasks_trace grace period latency\tavg 12.500 us\tstddev 1.000 us",
                   "grace_period_latency"),
            std::string("12.5 us"));
  expect_eq(
      figure("Iter 3\t avg tasks_trace grace period latency\t12500.5 ns", "grace_period_latency"),
      std::string("12500.5 ns"));
  expect_eq(figure("Iter   2 (  1.000us): Send Speed  512.000 MB/s ( 8000.000 calls/s), BPF Speed "
                   " 500.000 MB/s, Rcv Speed  498.500 MB/s ( 7000.000 calls/s)",
                   "receive"),
            std::string("498.5 MB/s"));
  expect_eq(figure("Summary: total trans     2500 MB ± 500.000 MB/s", "receive"),
            std::string("500 MB/s"));
  expect_eq(figure("3:hash_map_full_perf 1234567 events per sec", "throughput"),
            std::string("1234567 ops/s"));
  expect_eq(figure("cpu03: lookup 71.234M ± 0.456M events/sec (approximated from 32 samples of "
                   "~14ms)",
                   "throughput"),
            std::string("71.234 M ops/s"));
  expect_eq(figure("RESULT scenario=tcp-v4 samples=200 median=81.00 stddev=0.50 cv=0.62 min=80.10 "
                   "p99=84.00 max=90.00",
                   "latency_p99"),
            std::string("84 ns/op"));
}

TEST(log_of_cpus_is_one_load)
{
  Reading reading = read_text("Setting up benchmark 'bpf-hashmap-full-update'...\n"
                              "Benchmark 'bpf-hashmap-full-update' started.\n"
                              "0:hash_map_full_perf 1000000 events per sec\n"
                              "1:hash_map_full_perf 1200000 events per sec\n");
  const Metric &rate = metric_of(benchmark_of(reading, "bpf-hashmap-full-update"), "throughput");
  expect(rate.samples == std::vector<std::vector<double>>{{1e6, 1.2e6}});
}
