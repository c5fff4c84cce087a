// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Names that no tool should print: what is read of them must be written and read back as the same,
// whatever the format.
#include "tools/gate/readers/collector.h"
#include "tools/gate/readers/reader_test.h"

using namespace unit_test;
using namespace gate;

// How many benchmarks there are, written and read back as the same.
static size_t benchmarks_of(const std::string &text,
                            const std::source_location &at = std::source_location::current())
{
  result::Result result = read_text(text).result;
  std::string written = format_result(result);
  expect_eq(format_result(result::parse_result(written, "written")), written, at);
  return result.benchmarks.size();
}

TEST(names_are_cleaned)
{
  expect_eq(clean_name("lookup/ü€😀 1"), "lookup/ü€😀 1");
  expect_eq(clean_name("a\tb\x7f\x1b[0m"), "a?b??[0m");
  expect_eq(clean_name("\xc2\x9b\xff\xc3"), "????"); // U+009B begins a terminal's sequence too
  expect_eq(clean_name("\xe0\x80\x80\xed\xa0\x80"), "??????");
}

TEST(names_that_are_long_stay_apart)
{
  std::string long_name(500, 'a'), one = clean_name(long_name + "1");
  expect_eq(clean_name(long_name), long_name);
  expect_eq(one.size(), 500u);
  expect(one.starts_with(std::string(480, 'a')));
  expect(one != clean_name(long_name + "2"));
  expect_eq(clean_name(one), one);
  for (size_t i = 0; i < 4; i++) { // where a character does not fit
    std::string shown = clean_name(std::string(i, 'a') + std::string(3000, ' ') + "€");
    expect(shown.size() <= 500 && clean_name(shown) == shown);
    shown.clear();
    while (shown.size() <= 500)
      shown += "€";
    expect(clean_name(std::string(i, 'a') + shown).size() <= 500);
  }
}

// Of one name once they are cleaned: loads of one benchmark.
TEST(names_of_google_json)
{
  auto text = [](const std::string &a, const std::string &b) {
    auto entry = [](const std::string &name) {
      return R"({"name": ")" + name +
             R"(", "iterations": 1, "real_time": 1, "cpu_time": 1, "time_unit": "ns"})";
    };
    return R"({"context": {}, "benchmarks": [)" + entry(a) + "," + entry(b) + "]}";
  };
  expect_eq(benchmarks_of(text("a\\u0001", "a\\u0002")), 1u);
  std::string long_name(600, 'a');
  expect_eq(benchmarks_of(text(long_name + "1", long_name + "2")), 2u);
}

TEST(names_of_logs)
{
  auto run = [](const std::string &name, const std::string &unit) {
    return "Setting up benchmark '" + name + "'...\nBenchmark '" + name +
           "' started.\nSummary: throughput 1.0 ± 0.1 " + unit +
           " ops/s ( 1.0M ops/prod), latency 1.0 ns/op\n";
  };
  expect_eq(benchmarks_of(run("x\x01", "M") + run("x\x02", "M")), 1u);
  expect_eq(benchmarks_of(run("x\xfe", "M") + run("x\xff", "M")), 1u);
  expect_eq(benchmarks_of(run("x", "\xfe") + run("x", "\xff")), 1u);
  expect_eq(benchmarks_of("$ ./bench --a\xfe=1 --a\xff=2 x\n" + run("x", "M")), 1u);
  expect_eq(benchmarks_of(run("x", "M") + "$ ./bench --y=1 x\n" + run("x", "M") + "$ ./bench x\n" +
                          run(R"(x{"y":1})", "M")),
            3u); // a name that looks like parameters
}

TEST(names_of_tables)
{
  std::string row = "b: throughput: 1.0 ± 0.1 M ops/s, latency: 1 ns/op\n";
  expect_eq(benchmarks_of("$ ./bench --a\xfe=1 --a\xff=2 x\n" + row), 1u);
}

TEST(names_of_go_text)
{
  std::string result = "BenchmarkX-8 1 2 ns/op\n";
  expect_eq(benchmarks_of(result + "a\xfe: 1\na\xff: 2\n"), 1u);
  expect_eq(benchmarks_of("a\xfe: 1\n" + result + "a\xff: 2\n" + result), 2u);
  expect_eq(benchmarks_of("a: \x01\n" + result + "a: \x02\n" + result), 1u);
  // How many processors there were is part of the name, whatever a key is called.
  std::string keyed = "gomaxprocs: 1\n" + result + "gomaxprocs: 2\n" + result;
  expect_eq(benchmarks_of(keyed + "BenchmarkX-9 1 2 ns/op\n"), 2u);
  const Reading reading = read_text(keyed);
  expect_eq(benchmark_of(reading, "X", R"({"gomaxprocs": 8})").metrics[0].samples.size(), 2u);
}

TEST(names_of_hyperfine_json)
{
  std::string parts;
  for (int i = 0; i < 1000; i++)
    parts += R"("\"\\",)";
  std::string text = R"({"results": [{"command": "c", "times": [1, 2], "parameters": )"
                     R"({"a\u0001": "1", "a\u0002": "2", "list": [)" +
                     parts + "1]}}]}";
  expect_eq(benchmarks_of(text), 1u);
  expect(read_text(text).result.benchmarks[0].parameters["list"].text().size() == 500);
}
