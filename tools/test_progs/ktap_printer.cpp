// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// KTAP as the kernel's test runner and LAVA read it.
//
// A subtest is "# ok 1 name", not indented: the runner prefixes "# " to every line, and LAVA's
// parser strips one '#' with all blanks behind it for every level, so that indentation would lose
// the level. Log lines are "# | text", so that no text is ever taken for a result.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "tools/test_progs/printer.h"

namespace test
{

namespace
{

// A description ends at '#', and a reason at the line's end.
std::string one_line(std::string text)
{
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c == '#' || c < ' ' || c == 0x7f; },
      '_');
  return text;
}

std::string printable(std::string text)
{
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' && c != '\t'; }, '?');
  return text;
}

void print_log(const std::string &prefix, const std::string &log)
{
  for (size_t begin = 0; begin < log.size();) {
    size_t end = std::min(log.find('\n', begin), log.size());
    fmt::print("{}# | {}\n", prefix, printable(log.substr(begin, end - begin)));
    begin = end + 1;
  }
}

void print_result(const std::string &prefix, size_t number, const std::string &name,
                  const Outcome &outcome)
{
  fmt::print("{}{} {} {}", prefix, outcome.result == Result::fail ? "not ok" : "ok", number,
             one_line(name));
  if (outcome.result == Result::skip)
    fmt::print(" # SKIP {}", one_line(outcome.reason));
  fmt::print("\n");
}

class KtapPrinter : public Printer {
public:
  explicit KtapPrinter(bool verbose) : x_verbose(verbose) {}
  void begin(size_t planned) override
  {
    x_planned = planned;
    fmt::print("KTAP version 1\n1..{}\n", planned);
    fflush(stdout);
  }
  void live_log(std::string_view) override {}
  void subtest_done(const TestResult &, const SubtestResult &) override {}
  void test_done(const TestResult &test) override;
  void end(const RunResult &run) override;
  void skip_all(const std::string &reason) override
  {
    fmt::print("KTAP version 1\n1..0 # SKIP {}\n", one_line(reason));
  }
  void bail_out(const std::string &reason) override
  {
    fmt::print("KTAP version 1\nBail out! {}\n", one_line(reason));
  }

private:
  void print_subtests(const TestResult &test) const;

  bool x_verbose;
  size_t x_planned = 0;
  size_t x_done = 0;
};

void KtapPrinter::print_subtests(const TestResult &test) const
{
  fmt::print("# KTAP version 1\n# 1..{}\n", test.subtests.size());
  size_t number = 0;
  for (const SubtestResult &subtest : test.subtests) {
    if (x_verbose || subtest.outcome.result == Result::fail)
      print_log("# ", subtest.log);
    print_result("# ", ++number, subtest.name, subtest.outcome);
  }
}

void KtapPrinter::test_done(const TestResult &test)
{
  if (!test.subtests.empty())
    print_subtests(test);
  if (x_verbose || test.failed())
    print_log("", test.log);
  print_result("", ++x_done, test.name, test.outcome);
  fflush(stdout);
}

void KtapPrinter::end(const RunResult &run)
{
  int skipped =
      static_cast<int>(std::count_if(run.tests.begin(), run.tests.end(), [](const TestResult &t) {
        return t.outcome.result == Result::skip;
      }));
  if (run.interrupted_by)
    fmt::print("Bail out! signal {}\n", run.interrupted_by);
  else if (run.tests.size() != x_planned)
    fmt::print("# Planned tests != run tests ({} != {})\n", x_planned, run.tests.size());
  fmt::print("# Totals: pass:{} fail:{} xfail:0 xpass:0 skip:{} error:0\n", run.passed() - skipped,
             run.failed(), skipped);
}

} // namespace

std::unique_ptr<Printer> ktap_printer(bool verbose)
{
  return std::make_unique<KtapPrinter>(verbose);
}

} // namespace test
