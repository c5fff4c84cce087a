// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Baselines in files (record --vm --baseline FILE) when two gates write one, one is killed or the
// disk is full: the file is whole at any moment, the old one or the new one.
#include <filesystem>
#include <random>

#include "tools/gate/history/waivers.h"
#include "tools/gate/testing/robustness.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"

using namespace unit_test;
using namespace gate;
using namespace robustness;
namespace fs = std::filesystem;

// Long enough that writing it takes several calls. Every figure is the number.
static result::Result numbered(int number, size_t benchmarks = 300)
{
  result::Result result = one_result({});
  for (size_t i = 0; i < benchmarks; i++)
    result.benchmarks.push_back(one_benchmark(
        fmt::format("b{}", i), time_metric(std::vector(5, std::vector<double>{number + 1.0}))));
  return result;
}

// The number of a file that is whole; throws for any other.
static int number_of(const std::string &path, size_t benchmarks = 300)
{
  result::Result result = result::read_result(path);
  expect_eq(result.benchmarks.size(), benchmarks);
  double first = result.benchmarks[0].metrics[0].samples[0][0];
  for (const result::Benchmark &benchmark : result.benchmarks)
    expect_eq(benchmark.metrics[0].samples.at(4).at(0), first);
  return static_cast<int>(first) - 1;
}

TEST(baseline_file_killed_at_any_moment_is_the_old_or_the_new_one)
{
  using std::chrono::microseconds;
  TemporaryDirectory here;
  std::string path = here / "base.json";
  std::mt19937 random(1);
  auto write_one = [&](int i) { result::write_result(path, numbered(i)); };
  microseconds window = window_of([&] { write_one(0); });
  int kept = 0;
  for (int round = 0; kept < 30 || round < 40; round++) {
    expect(round < 1000, "hardly anything is written between the kills");
    int told = write_until_killed(write_one, kept + 1, microseconds(random() % window.count()));
    int now = number_of(path);
    expect(now == told || now == told + 1, fmt::format("{} is there, {} was written", now, told));
    kept = now;
  }
}

TEST(baseline_file_of_two_gates_is_that_of_one)
{
  TemporaryDirectory here;
  std::string path = here / "base.json";
  result::write_result(path, numbered(0));
  constexpr int count = 3;
  for (process::Child &each : writers(
           count, 15, [&](int writer, int) { result::write_result(path, numbered(writer + 1)); })) {
    while (each.running())
      expect(number_of(path) <= count, "a file that nobody wrote");
    expect(each.status().success());
  }
  expect(number_of(path) >= 1, "the last one is missing");
  expect_eq(std::distance(fs::directory_iterator(here.path()), fs::directory_iterator()), 1);
}

TEST(baseline_file_on_a_full_disk_is_the_old_one)
{
  TemporaryDirectory here;
  expect_text(process::thrown_in_child([&] {
    mount_small(here.path(), "256k");
    std::string path = here / "base.json", waivers = here / "waivers.json";
    result::write_result(path, numbered(7, 10));
    add_waiver(waivers, {"b0", "me", "later", "2999-12-31", 5});
    expect_throws([&] { result::write_result(path, numbered(8, 3000)); }, "No space left");
    std::string reason(300000, 'x');
    expect_throws(
        [&] {
          add_waiver(waivers, {"b1", "me", reason, "2999-12-31", 5});
        },
        "No space left");
    expect_eq(number_of(path, 10), 7);
    expect_eq(read_waivers(waivers).size(), 1u);
    // Room that a failed write took is free again, and the next one that fits is kept.
    result::write_result(path, numbered(9, 10));
    expect_eq(number_of(path, 10), 9);
    expect_eq(std::distance(fs::directory_iterator(here.path()), fs::directory_iterator()), 2);
  }));
}
