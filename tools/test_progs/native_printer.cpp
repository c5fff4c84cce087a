// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Upstream's output: "#N[/M]  name:OK", logs of failures before their lines, once more at the end.
#include <fmt/format.h>

#include <cstdio>

#include "tools/test_progs/printer.h"

namespace test
{

namespace
{

void print_log(const std::string &log)
{
  if (!log.empty())
    fmt::print("{}{}", log, log.back() == '\n' ? "" : "\n");
}

void print_subtest(const TestResult &test, const SubtestResult &subtest)
{
  fmt::print("#{:<7} {}/{}:{}\n", fmt::format("{}/{}", test.number, subtest.number), test.name,
             subtest.name, result_word(subtest.outcome.result));
}

void print_test(const TestResult &test)
{
  fmt::print("#{:<7} {}:", test.number, test.name);
  int skipped = test.skipped();
  if (test.outcome.result == Result::ok && skipped > 0)
    fmt::print("OK (SKIP: {}/{})\n", skipped, test.subtests.size());
  else
    fmt::print("{}\n", result_word(test.outcome.result));
}

void print_reason(const std::string &name, const Outcome &outcome)
{
  if (outcome.result == Result::skip)
    fmt::print("{}:SKIP:{}\n", name, outcome.reason);
}

class NativePrinter : public Printer {
public:
  NativePrinter(bool verbose, bool live) : x_verbose(verbose), x_live(live) {}
  void begin(size_t) override {}
  void live_log(std::string_view text) override { fmt::print("{}", text); }
  void subtest_done(const TestResult &test, const SubtestResult &subtest) override
  {
    if (!x_live)
      return;
    print_reason(test.name + "/" + subtest.name, subtest.outcome);
    print_subtest(test, subtest);
  }
  void test_done(const TestResult &test) override
  {
    if (x_live) {
      print_reason(test.name, test.outcome);
      print_test(test);
    } else {
      print_all(test, false);
    }
    fflush(stdout);
  }
  void end(const RunResult &run) override;
  void skip_all(const std::string &reason) override
  {
    fmt::print("test_progs: SKIP: {}\n", reason);
  }
  void bail_out(const std::string &reason) override
  {
    fmt::print(stderr, "test_progs: {}\n", reason);
  }

private:
  void print_all(const TestResult &test, bool only_failures);

  bool x_verbose;
  bool x_live;
};

void NativePrinter::print_all(const TestResult &test, bool only_failures)
{
  if (x_verbose || test.failed())
    print_log(test.log);
  for (const SubtestResult &subtest : test.subtests) {
    bool failed = subtest.outcome.result == Result::fail;
    if (only_failures && !failed)
      continue;
    if (x_verbose || failed)
      print_log(subtest.log);
    print_reason(test.name + "/" + subtest.name, subtest.outcome);
    print_subtest(test, subtest);
  }
  print_reason(test.name, test.outcome);
  print_test(test);
}

void NativePrinter::end(const RunResult &run)
{
  if (run.failed() > 0 && !x_verbose) {
    fmt::print("\nAll error logs:\n");
    for (const TestResult &test : run.tests)
      if (test.failed())
        print_all(test, true);
  }
  fmt::print("Summary: {}/{} PASSED, {} SKIPPED, {} FAILED\n", run.passed(), run.subtests_passed(),
             run.skipped(), run.failed());
}

} // namespace

std::unique_ptr<Printer> native_printer(bool verbose, bool live)
{
  return std::make_unique<NativePrinter>(verbose, live);
}

} // namespace test
