// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A test is a suite of JUnit XML, its subtests are the cases.
#include <fmt/format.h>

#include <algorithm>

#include "tools/lib/junit.h"
#include "tools/test_progs/reports.h"

namespace test
{

// A log may hold anything, also broken UTF-8.
static std::string ascii(std::string text)
{
  for (char &c : text)
    if (static_cast<unsigned char>(c) >= 0x7f)
      c = '?';
  return text;
}

// An error, not a failure, is what ended the test from outside.
static junit::Outcome outcome_of(const Outcome &outcome)
{
  if (outcome.result == Result::fail)
    return outcome.reason.empty() ? junit::Outcome::Fail : junit::Outcome::Error;
  return outcome.result == Result::skip ? junit::Outcome::Skip : junit::Outcome::Pass;
}

// Of a test or a subtest.
template <class Tested>
static void add(junit::Suite &suite, const TestResult &test, const Tested &tested)
{
  junit::Case one = {.class_name = ascii(test.name),
                     .name = ascii(tested.name),
                     .outcome = outcome_of(tested.outcome),
                     .message = ascii(tested.outcome.reason),
                     .log = ascii(tested.log),
                     .duration_ns = tested.duration_ns};
  if (one.outcome == junit::Outcome::Fail)
    one.message = "check failed";
  suite.add(one);
}

static bool subtest_failed(const TestResult &test)
{
  return std::any_of(test.subtests.begin(), test.subtests.end(),
                     [](const SubtestResult &s) { return s.outcome.result == Result::fail; });
}

static junit::Suite collect(const TestResult &test)
{
  junit::Suite suite;
  for (const SubtestResult &subtest : test.subtests)
    add(suite, test, subtest);
  // The test itself is a case where no subtest tells the same.
  if (test.subtests.empty() || (test.failed() && !subtest_failed(test)))
    add(suite, test, test);
  return suite;
}

std::string junit_report(const RunResult &run)
{
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"test_progs\">\n";
  for (const TestResult &test : run.tests) {
    junit::Suite suite = collect(test);
    text += fmt::format("  <testsuite name=\"{}\" {} time=\"{}\">\n{}  </testsuite>\n",
                        junit::escape(ascii(test.name)), suite.counts(),
                        junit::seconds(test.duration_ns), suite.cases());
  }
  return text + "</testsuites>\n";
}

} // namespace test
