// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/table.h"

#include <nlohmann/json.hpp>

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace vmtest;

static RunReport run(const std::string &kernel, Outcome outcome, int status)
{
  RunReport run;
  run.kernel = kernel;
  run.release = "6.12.95+deb12-cloud-amd64";
  run.accelerator = "tcg";
  run.result.outcome = outcome;
  run.result.status = status;
  if (outcome == Outcome::Failed)
    run.result.command = status;
  run.result.boot_s = 1.5;
  run.result.total_s = 2.25;
  return run;
}

TEST(first_run_that_did_not_pass_decides)
{
  expect_eq(exit_code({}), 0);
  expect_eq(exit_code({run("a", Outcome::Passed, 0), run("b", Outcome::Passed, 0)}), 0);
  expect_eq(exit_code({run("a", Outcome::Passed, 0), run("b", Outcome::Failed, 7),
                       run("c", Outcome::Panic, 0)}),
            7);
  expect_eq(exit_code({run("a", Outcome::Interrupted, 15)}), 143);
}

TEST(table_has_a_row_a_run)
{
  auto seeded = run("debian:6.12", Outcome::TimeOut, 0);
  seeded.seed = 3;
  std::string text = table({run("a", Outcome::Failed, 7), seeded});
  expect_eq(std::count(text.begin(), text.end(), '\n'), 3);
  expect_has(text, "debian:6.12 seed 3");
  expect_has(text, "time-out            204");
  expect_has(text, "1.50        n/a     2.25");
}

TEST(json_has_null_for_what_is_not_known)
{
  auto report = run("a", Outcome::Panic, 0);
  report.result.console = {"[    1.0] \xff"};
  auto json = nlohmann::json::parse(to_json({report, run("b", Outcome::Failed, 255)}));
  expect_eq(json.at("format").get<std::string>(), "bpfgate-vmtest");
  const auto &first = json.at("runs").at(0);
  expect_eq(first.at("outcome").get<std::string>(), "panic");
  expect_eq(first.at("exit_code").get<int>(), 201);
  expect(first.at("status").is_null() && first.at("command_seconds").is_null());
  expect(first.at("seed").is_null());
  expect_near(first.at("boot_seconds").get<double>(), 1.5, 1e-9);
  const auto &second = json.at("runs").at(1);
  expect_eq(second.at("status").get<int>(), 255);
  expect_eq(second.at("exit_code").get<int>(), 199);
}
