// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a run found out: one entry a test, one a subtest. All outputs are written from this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace test
{

enum class Result { ok, fail, skip };

// How a (sub)test ended. reason: why it was skipped, or what ended it from outside.
struct Outcome {
  Result result = Result::ok;
  std::string reason;
};

struct SubtestResult {
  int number = 0;
  std::string name;
  Outcome outcome;
  std::string log;
  uint64_t duration_ns = 0;
};

struct TestResult {
  int number = 0;
  std::string name;
  std::string file;
  Outcome outcome;
  std::string log; // what it printed outside its subtests
  uint64_t duration_ns = 0;
  bool broken = false;     // ended by a signal, the watchdog or exit() instead of returning
  bool unselected = false; // has subtests, but none of those that were asked for
  std::vector<SubtestResult> subtests;

  bool failed() const { return outcome.result == Result::fail; }
  // Skipped subtests, or 1 for a test that was skipped as a whole.
  int skipped() const;
  int subtests_passed() const;
};

struct RunResult {
  std::vector<TestResult> tests;
  int interrupted_by = 0; // the signal that ended the run early
  uint64_t seed = 0;
  std::vector<std::string> command;

  // The four numbers of the summary line, counted as upstream counts: a test that was skipped as a
  // whole is passed and skipped.
  int passed() const;
  int subtests_passed() const;
  int skipped() const;
  int failed() const;
  bool nothing_ran() const;
  bool nothing_selected() const;
};

const char *result_word(Result result);

} // namespace test
