// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What gate selftest proves about a host, and what gate check makes of it.
#include "tools/gate/commands/selftest.h"

#include "tools/gate/testing/gate_runner.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;

TEST(selftest_bound_known_values)
{
  // (1 - p)^n = 0.05 where none alarmed.
  expect_near(upper_bound_of_rate(0, 299), .00997, 1e-5);
  expect_near(upper_bound_of_rate(0, 10), 1 - std::pow(.05, .1), 1e-12);
  expect_near(upper_bound_of_rate(1, 10), .39416, 1e-5);
  expect_eq(upper_bound_of_rate(10, 10), 1.0);
  // Per check, not per row: 14 checks without an alarm show 19 %, whatever the number of rows.
  expect_near(upper_bound_of_rate(0, 14), .1926, 1e-4);
  expect(upper_bound_of_rate(0, 298) > .01 && upper_bound_of_rate(0, 299) <= .01);
}

TEST(selftest_of_a_noisy_host_makes_checks_untrusted)
{
  TemporaryDirectory here;
  Options options;
  options.store = here.path();
  Report report = {.command = "check"};
  apply_selftest(report, options, "c");
  expect(report.untrusted.empty() && report.remarks.empty(), "no self-test says nothing");
  SelfTest test = {.time = "2026-11-30T10:00:00Z", .trials = 20, .alarms = 2, .bound = .283};
  keep_selftest(here.path(), "c", test);
  apply_selftest(report, options, "another");
  expect(report.untrusted.empty(), "another machine's");
  apply_selftest(report, options, "c");
  expect_has(report.untrusted, "2 of 20 checks told a regression");
  expect_eq(exit_code(report), 3);
  Report sound = {.command = "check"};
  // One of twenty: a chance of 18 % at 1 %.
  test = {.time = test.time, .trials = 20, .alarms = 1, .bound = .216};
  keep_selftest(here.path(), "c", test);
  apply_selftest(sound, options, "c");
  expect(sound.untrusted.empty() && sound.remarks.empty());
  options.tolerance = .01;
  apply_selftest(sound, options, "c");
  expect_has(sound.remarks.at(0), "says nothing about 1 %");
  write_file(here / "reports/selftest-c.json", R"({"version": 2, "trials": 300, "alarms": -1})");
  expect_throws([&] { apply_selftest(sound, options, "c"); }, "damaged: 'alarms' is no count");
  write_file(here / "reports/selftest-c.json", "{}");
  expect_throws([&] { apply_selftest(sound, options, "c"); }, "damaged");
}

TEST(selftest_runs_whole_checks_and_tells_what_they_show)
{
  Bench bench;
  bench.gate({"record"});
  expect_code(bench.gate({"selftest", "--aa", "--trials", "3"}), 0, bench);
  expect_has(bench.output, "0 of 3 checks of the same code against itself told a regression\n"
                           "at most 63.2 % do here");
  expect_eq(bench.report()["trials"].get<int>(), 3);
  expect_eq(bench.report()["smallest_effects"].size(), 2u);
}

// What was recorded elsewhere need not run here.
TEST(selftest_passes_over_executables_of_other_machines)
{
  Bench bench;
  std::string stop = fmt::format("test -e '{}' && exit 9", bench.here / "stop");
  for (const char *model : {"A", "Z"}) {
    bench.write(
        {.list = stop,
         .environment = fmt::format(R"("cpu_model": "{}", "cpus": 2, "kernel": "6.1")", model)});
    expect_code(bench.gate({"record"}), 0, bench);
  }
  bench.write({.environment = R"("cpu_model": "M", "cpus": 2, "kernel": "6.1")"});
  expect_code(bench.gate({"record"}), 0, bench);
  write_file(bench.here / "stop", "");
  expect_code(bench.gate({"selftest", "--aa", "--trials", "1"}), 0, bench);
}
