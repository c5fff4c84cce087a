// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The counts of a run, as the summary line, the JSON and KTAP give them.
#include "tools/test_progs/results.h"

#include <algorithm>
#include <numeric>

namespace test
{

const char *result_word(Result result)
{
  switch (result) {
  case Result::ok:
    return "OK";
  case Result::skip:
    return "SKIP";
  default:
    return "FAIL";
  }
}

static int count(const std::vector<SubtestResult> &subtests, Result result)
{
  return static_cast<int>(
      std::count_if(subtests.begin(), subtests.end(),
                    [result](const SubtestResult &s) { return s.outcome.result == result; }));
}

int TestResult::skipped() const
{
  int skipped_subtests = count(subtests, Result::skip);
  return skipped_subtests == 0 && outcome.result == Result::skip ? 1 : skipped_subtests;
}

int TestResult::subtests_passed() const { return count(subtests, Result::ok); }

template <class F> static int sum(const std::vector<TestResult> &tests, F value)
{
  return std::accumulate(tests.begin(), tests.end(), 0,
                         [&](int total, const TestResult &test) { return total + value(test); });
}

int RunResult::passed() const
{
  return sum(tests, [](const TestResult &test) { return test.failed() ? 0 : 1; });
}

int RunResult::subtests_passed() const
{
  return sum(tests, [](const TestResult &test) { return test.subtests_passed(); });
}

int RunResult::skipped() const
{
  return sum(tests, [](const TestResult &test) { return test.skipped(); });
}

int RunResult::failed() const
{
  return sum(tests, [](const TestResult &test) { return test.failed() ? 1 : 0; });
}

bool RunResult::nothing_ran() const
{
  return std::all_of(tests.begin(), tests.end(),
                     [](const TestResult &test) { return test.outcome.result == Result::skip; });
}

bool RunResult::nothing_selected() const
{
  return std::all_of(tests.begin(), tests.end(),
                     [](const TestResult &test) { return test.unselected; });
}

} // namespace test
