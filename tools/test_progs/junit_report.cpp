// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JUnit XML, in the form that the usual CI servers agree on.
#include <fmt/format.h>

#include <algorithm>

#include "tools/test_progs/reports.h"

namespace test
{

// Escapes, and replaces what XML 1.0 cannot hold: control characters and broken UTF-8.
static std::string xml(const std::string &text)
{
  std::string out;
  for (unsigned char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f ? '?' : static_cast<char>(c);
    }
  }
  return out;
}

static double seconds(uint64_t duration_ns) { return static_cast<double>(duration_ns) / 1e9; }

// element: "failure" for a check that failed, "error" for what ended the test from outside.
static std::string test_case(const std::string &suite, const std::string &name,
                             const Outcome &outcome, const std::string &log, uint64_t duration_ns,
                             const char *element)
{
  std::string head = fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.6f}")",
                                 xml(suite), xml(name), seconds(duration_ns));
  if (outcome.result == Result::ok)
    return head + "/>\n";
  std::string text = head + ">\n";
  if (outcome.result == Result::skip)
    text += fmt::format("      <skipped message=\"{}\"/>\n", xml(outcome.reason));
  else
    text += fmt::format("      <{0} message=\"{1}\">{2}</{0}>\n", element,
                        xml(outcome.reason.empty() ? "check failed" : outcome.reason), xml(log));
  return text + "    </testcase>\n";
}

namespace
{

struct Suite {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string cases;

  void add(const TestResult &test, const std::string &name, const Outcome &outcome,
           const std::string &log, uint64_t duration_ns)
  {
    bool outside = outcome.result == Result::fail && !outcome.reason.empty();
    tests++;
    failures += outcome.result == Result::fail && !outside;
    errors += outside;
    skipped += outcome.result == Result::skip;
    cases += test_case(test.name, name, outcome, log, duration_ns, outside ? "error" : "failure");
  }
};

} // namespace

static bool subtest_failed(const TestResult &test)
{
  return std::any_of(test.subtests.begin(), test.subtests.end(),
                     [](const SubtestResult &s) { return s.outcome.result == Result::fail; });
}

static Suite collect(const TestResult &test)
{
  Suite suite;
  for (const SubtestResult &subtest : test.subtests)
    suite.add(test, subtest.name, subtest.outcome, subtest.log, subtest.duration_ns);
  // The test itself is a case where no subtest tells the same.
  if (test.subtests.empty() || (test.failed() && !subtest_failed(test)))
    suite.add(test, test.name, test.outcome, test.log, test.duration_ns);
  return suite;
}

std::string junit_report(const RunResult &run)
{
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"test_progs\">\n";
  for (const TestResult &test : run.tests) {
    Suite suite = collect(test);
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
                        "skipped=\"{}\" time=\"{:.6f}\">\n{}  </testsuite>\n",
                        xml(test.name), suite.tests, suite.failures, suite.errors, suite.skipped,
                        seconds(test.duration_ns), suite.cases);
  }
  return text + "</testsuites>\n";
}

} // namespace test
