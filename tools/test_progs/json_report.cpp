// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The JSON report. Consumers of upstream's read success, success_subtest, skipped, failed and
// results, which holds failed tests only; everything else here is ours.
#include <sys/utsname.h>

#include <nlohmann/json.hpp>

#include "tools/test_progs/reports.h"

namespace test
{

using Json = nlohmann::ordered_json;

template <class R> static Json failure(const R &result)
{
  return {
      {"name", result.name}, {"number", result.number}, {"message", result.log}, {"failed", true}};
}

static Json failures(const RunResult &run)
{
  Json results = Json::array();
  for (const TestResult &test : run.tests) {
    if (!test.failed())
      continue;
    Json entry = failure(test);
    entry["subtests"] = Json::array();
    for (const SubtestResult &subtest : test.subtests)
      if (subtest.outcome.result == Result::fail)
        entry["subtests"].push_back(failure(subtest));
    results.push_back(entry);
  }
  return results;
}

template <class R> static Json line(const R &result)
{
  Json entry{{"name", result.name},
             {"number", result.number},
             {"result", result_word(result.outcome.result)},
             {"duration_ns", result.duration_ns}};
  if (!result.outcome.reason.empty())
    entry["reason"] = result.outcome.reason;
  return entry;
}

static Json all_tests_of(const RunResult &run)
{
  Json tests = Json::array();
  for (const TestResult &test : run.tests) {
    Json entry = line(test);
    entry["broken"] = test.broken;
    entry["subtests"] = Json::array();
    for (const SubtestResult &subtest : test.subtests)
      entry["subtests"].push_back(line(subtest));
    tests.push_back(entry);
  }
  return tests;
}

std::string json_report(const RunResult &run, int exit_code)
{
  utsname system{};
  uname(&system);
  Json report{{"success", run.passed()},
              {"success_subtest", run.subtests_passed()},
              {"skipped", run.skipped()},
              {"failed", run.failed()},
              {"results", failures(run)},
              {"version", BPFGATE_VERSION},
              {"kernel", system.release},
              {"machine", system.machine},
              {"command", run.command},
              {"seed", run.seed},
              {"interrupted_by", run.interrupted_by},
              {"exit_code", exit_code},
              {"tests", all_tests_of(run)}};
  // Tests may print any bytes.
  return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace test
