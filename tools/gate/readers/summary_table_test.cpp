// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The tables of commit messages in data/table, read back, give the published figures of
// benchs/published, each one. Other tables: the shapes of the run scripts.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <sstream>

#include "tools/gate/readers/reader_test.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/bench_line.h"
#include "tools/lib/json.h"

using namespace unit_test;
using namespace gate;
using result::Benchmark;
using result::json;

using Published = std::map<std::string, std::string>; // column -> text

static std::vector<Published> published(const std::string &name)
{
  std::istringstream text(read_file(std::string(PUBLISHED) + "/" + name + ".tsv"));
  std::vector<std::string> columns;
  std::vector<Published> rows;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with('#'))
      continue;
    std::istringstream cells(line);
    std::vector<std::string> fields;
    for (std::string cell; std::getline(cells, cell, '\t');)
      fields.push_back(cell);
    if (columns.empty()) {
      columns = fields;
      continue;
    }
    Published &row = rows.emplace_back();
    for (size_t i = 0; i < fields.size(); i++)
      row[columns.at(i)] = fields[i];
  }
  expect(!rows.empty(), name);
  return rows;
}

static Reading table(const std::string &name)
{
  Reading reading = read_data("table/" + name + ".txt");
  expect_eq(reading.format, std::string("summary table"));
  return reading;
}

static void expect_figure(const Benchmark &benchmark, const char *metric, const std::string &wanted,
                          const std::source_location &at = std::source_location::current())
{
  const auto &samples = metric_of(benchmark, metric, at).samples;
  expect(samples.size() == 1 && samples[0].size() == 1, "not one figure", at);
  expect_eq(samples[0][0], std::stod(wanted), at);
}

static int whole(const std::string &text) { return std::stoi(text); }

TEST(table_bloom_filter)
{
  Reading reading = table("bloom_filter");
  std::vector<Published> rows = published("bloom_filter");
  expect_eq(reading.result.benchmarks.size(), 3 * rows.size());
  for (const Published &row : rows) {
    std::string key = json{{"nr_hash_funcs", whole(row.at("nr_hash_funcs"))},
                           {"nr_entries", whole(row.at("nr_entries"))},
                           {"value_size", whole(row.at("value_size"))}}
                          .dump();
    auto of = [&](const char *name) { return benchmark_of(reading, name, key.c_str()); };
    expect_figure(of("bloom-lookup"), "throughput", row.at("lookup_mops"));
    expect_figure(of("bloom-update"), "throughput", row.at("update_mops"));
    expect_figure(of("bloom-false-positive"), "false_positive", row.at("false_positive_pct"));
  }
}

TEST(table_bloom_false_positive_approx)
{
  Reading reading = table("bloom_false_positive_approx");
  for (const Published &row : published("bloom_false_positive_approx")) {
    std::string key = json{{"nr_hash_funcs", whole(row.at("nr_hash_funcs"))}}.dump();
    expect_figure(benchmark_of(reading, "bloom-false-positive", key.c_str()), "false_positive",
                  row.at("false_positive_pct"));
  }
}

TEST(table_hashmap_with_bloom_speedup)
{
  Reading reading = table("hashmap_with_bloom_speedup");
  for (const Published &row : published("hashmap_with_bloom_speedup")) {
    std::string key = json{{"value_size", whole(row.at("value_size"))},
                           {"nr_entries", whole(row.at("nr_entries"))}}
                          .dump();
    expect_figure(benchmark_of(reading, "hashmap-with-bloom", key.c_str()), "relative_throughput",
                  fmt::format("{}", 100 + whole(row.at("faster_pct"))));
  }
}

TEST(table_htab_mem)
{
  std::map<std::string, std::string> sections = {
      {"no_bpf_ma_v6.0.19", "(1) no bpf memory allocator (v6.0.19)"},
      {"preallocated", "(2) preallocated"},
      {"bpf_ma", "(3) bpf memory allocator"}};
  Reading reading = table("htab_mem");
  for (const Published &row : published("htab_mem")) {
    std::string key =
        json{{"use-case", row.at("use_case")}, {"section", sections.at(row.at("allocator"))}}
            .dump();
    const Benchmark &benchmark = benchmark_of(reading, "htab-mem", key.c_str());
    expect_figure(benchmark, "per_prod_op", row.at("per_prod_op_kops"));
    expect_figure(benchmark, "per_prod_op_stddev", row.at("stddev"));
    expect_figure(benchmark, "memory", row.at("avg_mem_mib"));
    expect_figure(benchmark, "memory_stddev", row.at("mem_stddev"));
    expect_figure(benchmark, "peak_memory", row.at("peak_mem_mib"));
  }
}

TEST(table_strncmp)
{
  Reading reading = table("strncmp");
  for (const Published &row : published("strncmp")) {
    std::string key =
        json{{"cmp-str-len", whole(row.at("cmp_str_len"))}, {"section", "Under " + row.at("arch")}}
            .dump();
    const Benchmark &benchmark = benchmark_of(reading, "strncmp-" + row.at("variant"), key.c_str());
    expect_figure(benchmark, "throughput", row.at("hits_mops"));
    expect_figure(benchmark, "throughput_stddev", row.at("hits_stddev"));
    expect_figure(benchmark, "drops", row.at("drops_mops"));
    expect_figure(benchmark, "drops_stddev", row.at("drops_stddev"));
  }
}

TEST(table_lpm_trie)
{
  Reading reading = table("lpm_trie");
  for (const Published &row : published("lpm_trie")) {
    json key = {{"prefix_len", 32}, {"producers", 1}, {"nr_entries", 10000}};
    if (row.at("keys") == "random")
      key["random"] = true;
    const Benchmark &benchmark =
        benchmark_of(reading, "lpm-trie-" + row.at("op"), key.dump().c_str());
    expect_figure(benchmark, "throughput", row.at("throughput"));
    expect_figure(benchmark, "throughput_stddev", row.at("stddev"));
    expect_eq(metric_of(benchmark, "throughput").unit, row.at("throughput_unit"));
    expect_figure(benchmark, "latency", row.at("latency"));
    expect_eq(metric_of(benchmark, "latency").unit, row.at("latency_unit"));
  }
}

TEST(table_as_our_bench_prints_its_rows)
{
  auto row = [](const char *name, const char *summary) {
    return bench_line::format_table_row(name, *bench_line::parse(summary)) + "\n";
  };
  Reading reading = read_text(
      row("lookup", "Summary: throughput    9.557 ± 1.600 M ops/s (  9.557M ops/prod), latency  "
                    "104.639 ns/op") +
      row("no-helper-64", "Summary: hits    0.428 ± 0.029M/s (  0.428M/prod), drops    0.100 ± "
                          "0.000M/s, total operations    0.528 ± 0.029M/s") +
      row("3 hash functions", "Summary: 15824397 false hits of 173100728 total operations. "
                              "Percentage =  9.14 %") +
      row("overwrite", "Summary: per-prod-op    8.38 ±    0.32k/s, memory usage n/a, peak memory "
                       "usage n/a"));
  expect_figure(benchmark_of(reading, "lookup"), "latency", "104.639");
  expect_figure(benchmark_of(reading, "strncmp-no-helper", R"({"cmp-str-len": 64})"), "throughput",
                "0.528");
  expect_figure(benchmark_of(reading, "bloom-false-positive", R"({"nr_hash_funcs": 3})"),
                "false_positive", "9.14");
  const Benchmark &memory = benchmark_of(reading, "htab-mem", R"({"use-case": "overwrite"})");
  expect_figure(memory, "per_prod_op", "8.38");
  expect(metric_of(memory, "memory").samples.empty());
}

TEST(table_as_the_run_scripts_print_it)
{
  Reading reading = read_text("\nBloom filter map\n================\n"
                              "\tvalue_size: 2 bytes, # threads: 4, # hashes: 3\n"
                              "10,000 entries -\n"
                              "\tLookups, total operations:  12.500 ± 0.100M/s (drops 0.000 ± "
                              "0.000M/s)\n"
                              "\tFalse positive rate:  2.50%\n"
                              "2.5 million entries -\n"
                              "\tUpdates, total operations:  3.500 ? 0.100M/s (drops 0.000 ? "
                              "0.000M/s)\n"
                              "\nRingbuf\n=======\n"
                              "rb-libbpf            43.366 ± 0.277M/s (drops 0.848 ± 0.027M/s)\n"
                              "uprobe-nop     :    1.233 ± 0.002M/s\n"
                              "Hashmap with bloom filter:  30.125 ± 1.000M/s\n"
                              "10k entries: 5% slower\n"
                              "                     hits throughput: 41.123 ± 0.100 M ops/s, hits "
                              "latency: 24.300 ns/op, important_hits throughput: 4.112 ± 0.010 M "
                              "ops/s\n");
  const char *first = R"({"section": "Bloom filter map", "value_size": 2, "producers": 4,
                          "nr_hash_funcs": 3, "nr_entries": 10000})";
  expect_figure(benchmark_of(reading, "bloom-lookup", first), "throughput", "12.5");
  expect_figure(benchmark_of(reading, "bloom-false-positive", first), "false_positive", "2.5");
  const char *second = R"({"section": "Bloom filter map", "value_size": 2, "producers": 4,
                          "nr_hash_funcs": 3, "nr_entries": 2500000})";
  expect_figure(benchmark_of(reading, "bloom-update", second), "throughput", "3.5");
  const char *ringbuf = R"({"section": "Ringbuf"})";
  expect_figure(benchmark_of(reading, "rb-libbpf", ringbuf), "drops", "0.848");
  expect_figure(benchmark_of(reading, "uprobe-nop", ringbuf), "throughput", "1.233");
  expect_figure(benchmark_of(reading, "hashmap-with-bloom", ringbuf), "throughput", "30.125");
  expect_figure(
      benchmark_of(reading, "hashmap-with-bloom", R"({"section": "Ringbuf", "nr_entries": 10000})"),
      "relative_throughput", "95");
}

TEST(table_lines_of_something_else)
{
  for (const char *text : {"Progress: 45%\n", "the new one is 30% faster than the old one\n",
                           "rate 5 M/s\n", "throughput is what counts\n", "100%\n", " ± M/s\n",
                           "M/s operations\n", "% faster\n", "1.5 ± 0.1M/s\n"})
    expect_throws([&] { read_text(text); }, "nothing that gate reads");
}
