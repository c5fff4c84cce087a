// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Runs the selected tests, each in a process of its own, so that none can take the others with it.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "tools/test_progs/context.h"

namespace test
{

// Told what happens while it happens.
class Listener {
public:
  virtual ~Listener() = default;
  // Text of a running test, only where RunnerOptions::live is set.
  virtual void live_log(std::string_view text) = 0;
  // A subtest ended; before this its text came by live_log().
  virtual void subtest_done(const TestResult &test, const SubtestResult &subtest) = 0;
  virtual void test_done(const TestResult &test) = 0;
};

struct RunnerOptions {
  unsigned workers = 1;               // tests at a time; serial tests come alone, after the others
  std::chrono::seconds watchdog{120}; // for a subtest, or a test between subtests; 0: none
  bool live = false;                  // pass on output at once; only with one worker
  bool debug = false;                 // show the workers' records on stderr
};

// Throws std::system_error where no worker can be started at all. SIGINT, SIGTERM and SIGHUP end
// the run early, with what was done so far.
RunResult run_tests(const std::vector<TestInfo> &tests, const Settings &settings,
                    const RunnerOptions &options, Listener &listener);

} // namespace test
