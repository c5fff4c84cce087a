// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which format an input has, what is refused and how, and the bounds on what it may take.
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tools/gate/readers/format.h"
#include "tools/gate/readers/reader_test.h"
#include "tools/gate/testing/robustness.h"
#include "tools/lib/fd.h"
#include "tools/lib/temporary_directory.h"

using namespace unit_test;
using namespace gate;

TEST(read_finds_out_the_format)
{
  auto format = [](const char *name) { return read_data(name).format; };
  expect_eq(format("bench_log/bloom-lookup.log"), std::string("log of bench"));
  expect_eq(format("table/strncmp.txt"), std::string("summary table"));
  expect_eq(format("go/two_repetitions.txt"), std::string("Go benchmark text"));
  expect_eq(format("google/repetitions.json"), std::string("Google Benchmark JSON"));
  expect_eq(format("hyperfine/two_commands.json"), std::string("hyperfine JSON"));
  expect_eq(format("ktap/nested.tap"), std::string("KTAP"));
  expect_eq(format("veristat/programs.csv"), std::string("veristat CSV"));
  expect_eq(format("result/two_loads.json"), std::string("result file"));
}

// input 32, and whatever else is no result.
TEST(read_refuses_the_rest_and_says_why)
{
  auto refused = [](const std::string &text, const char *message) {
    expect_throws([&] { read_text(text); }, message);
  };
  refused("", "f: empty");
  refused(" \n\n", "f: empty");
  refused("hello\nworld\n", "nothing that gate reads in 2 lines; line 1 is 'hello'");
  refused("[1, 2]", "line 1 is '[1, 2]'");
  refused("{}", "no object with members");
  refused(R"({"a": 1, "b": {"c": 2}})", "its members are a, b");
  refused(R"({"schema": "bpfgate-report", "rows": []})", "a report of gate");
  refused(R"({"schema": "x"})", "its \"schema\" is \"x\"");
  refused(R"({"schema": "bpfgate-result", "version": 9, "benchmarks": []})", "newer than the 1");
  refused("\xff\xfeI\0t\0", "UTF-16");
  refused("\x1f\x8b\x08", "compressed");
  refused(std::string(100, '\0'), "nothing that gate reads");
  refused(std::string(200000, 'x'), "nothing that gate reads in 1 lines");
  expect_throws([] { read_results("/nonexistent/f"); }, "cannot read '/nonexistent/f'");
  expect_throws([] { read_results("/"); }, "cannot read '/'");
}

// input 37
TEST(read_own_file_in_part)
{
  std::string text = R"({"schema": "bpfgate-result", "version": 1, "benchmarks": [
    {"name": "a", "definition": 1, "status": "ok"}, {"name": "b", "defi)";
  expect_throws([&] { read_text(text); }, "f: broken JSON at byte");
  Reading reading = read_text(text, true);
  expect_eq(reading.result.benchmarks.size(), 1u);
  expect_has(all_remarks(reading), "only in part");
}

TEST(read_bounds_are_kept)
{
  std::string many;
  for (size_t i = 0; i <= result::most_benchmarks; i++)
    many += fmt::format("BenchmarkA{} 1 5 ns/op\n", i);
  expect_throws([&] { read_text(many); }, "f: more than 200000 benchmarks");
  std::string metrics = "BenchmarkA 1";
  for (size_t i = 0; i <= most_metrics; i++)
    metrics += fmt::format(" 1 u{}", i);
  expect_throws([&] { read_text(metrics); }, "'A' has more than 256 metrics");
  std::string members = R"({"context": {)";
  for (int i = 0; i < 600; i++)
    members += fmt::format("\"k{}\": 1,", i);
  expect_throws([&] { read_text(members); }, "an object of more than 512 members");
  expect_throws([&] { read_text("{\"context\": \"" + std::string(3 << 20, 'x')); },
                "a text or number of more than 1048576 bytes");
  expect_throws([&] { read_text("{\"context\": 1" + std::string(3 << 20, '1')); },
                "a text or number of more than 1048576 bytes");
  expect_throws([&] { read_text("{\"context\": " + std::string(100000, '[')); },
                "nested deeper than 64 levels");
}

static size_t peak_kib()
{
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// By how much the largest memory that this process has had grows by body. In a process of its own,
// and what earlier tests freed is given back: else their peak would hide that of body.
static void expect_growth(size_t most_kib, const std::function<void()> &body)
{
  malloc_trim(0);
  robustness::expect_text(process::thrown_in_child([&] {
    size_t before = peak_kib();
    body();
    expect(peak_kib() < before + most_kib, fmt::format("{} KiB", peak_kib() - before));
  }));
}

// Writes the parts over and over until the file has that many bytes.
static void write_repeated(const std::string &path, const std::string &part, size_t bytes)
{
  Fd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  std::string block;
  while (block.size() < (1 << 20))
    block += part;
  for (size_t written = 0; written < bytes; written += block.size())
    expect(write(fd.get(), block.data(), block.size()) == static_cast<ssize_t>(block.size()),
           "cannot write " + path);
}

static constexpr size_t large = 64 << 20, little_kib = 16 << 10;

// However long the input, what is no figure takes no memory. The file is several times the limit.
TEST(read_large_inputs_in_little_memory)
{
  TemporaryDirectory here;
  write_repeated(here / "log", "[   45.101234] eth0: link is up\nrandom: crng init done\n", large);
  expect_growth(little_kib, [&] {
    expect_throws([&] { read_results(here / "log"); }, "nothing that gate reads");
  });
  write_repeated(here / "line", "no newline at all ", large);
  expect_growth(little_kib, [&] {
    expect_throws([&] { read_results(here / "line"); }, "nothing that gate reads in 1 lines");
  });
  // Elements that say nothing are dropped one by one.
  write_repeated(here / "json", "{\"context\": {}, \"benchmarks\": []}\n", large);
  expect_growth(little_kib, [&] { read_results(here / "json"); });
}

// Of a log that is all figures, their bytes are kept (docs/formats.md) and no text.
TEST(read_figures_take_little_more_than_their_bytes)
{
  TemporaryDirectory here;
  constexpr size_t intervals = 500;
  std::string run = "Setting up benchmark 'lpm-trie-noop'...\n";
  for (size_t i = 0; i < intervals; i++)
    run += fmt::format("Iter {:3d} (  0.000us): hits {:8.3f}M/s ({:7.3f}M/prod)\n", i,
                       80 + .01 * (i % 7), 80 + .01 * (i % 7));
  run += "Summary: throughput   80.030 ± 0.020 M ops/s ( 80.030M ops/prod), latency   12.495 "
         "ns/op\n";
  write_repeated(here / "log", run, large);
  size_t figures = large / run.size() * intervals;
  // A list that grows is there twice for a moment.
  size_t most_kib = little_kib + 2 * 8 * figures / 1024;
  expect(most_kib < large / 1024 * 2 / 3, "a bound that is none");
  expect_growth(most_kib, [&] {
    Reading reading = read_results(here / "log");
    const result::Metric &metric = metric_of(reading.result.benchmarks.at(0), "throughput");
    expect(metric.samples.size() * metric.samples[0].size() > figures * 9 / 10, "figures are lost");
  });
}

TEST(read_bare_lines)
{
  auto bare = [&](const std::string &text) {
    Input input(text, "f");
    BareLines lines(input);
    std::string all;
    for (std::string_view line; lines.next(line);)
      all += std::string(all.empty() ? "" : "|") + std::string(line);
    return all;
  };
  expect_eq(bare("plain"), std::string("plain"));
  expect_eq(bare("\x1b[1;32mgreen\x1b[0m"), std::string("green"));
  expect_eq(bare("a\x1b"), std::string("a"));
  expect_eq(bare("a\x1b[12"), std::string("a"));
  expect_eq(bare("2026-11-30T10:30:25Z x"), std::string("x"));
  expect_eq(bare("2026-11-30 x"), std::string("2026-11-30 x"));
  expect_eq(bare("> >> x\n>  y"), std::string("x| y"));
  std::string long_line(70, 'x'), rule(72, '=');
  expect_eq(bare(long_line + "=\ny=3D1\nz"), long_line + "y=1|z");
  expect_eq(bare(long_line + " =C2=\n=B1 1"), long_line + " \xc2\xb1 1");
  expect_eq(bare(rule + "\nx\ny=\nn=10"), rule + "|x|y=|n=10");
  expect_eq(bare("Content-Transfer-Encoding: Quoted-Printable\nx=3D=\n10\n"
                 "content-transfer-encoding: 8bit\nx=3D"),
            std::string("Content-Transfer-Encoding: Quoted-Printable|x=10|"
                        "content-transfer-encoding: 8bit|x=3D"));
  expect_eq(bare("=C2=B1 x="), std::string("\xc2\xb1 x"));
}
