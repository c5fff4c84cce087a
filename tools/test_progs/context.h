// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The worker's side: the state of the one test that runs in this process, and the records by which
// it tells the runner how far it got.
#pragma once

#include <functional>
#include <string>

#include "tools/test_progs/registry.h"
#include "tools/test_progs/results.h"
#include "tools/test_progs/selection.h"

namespace test
{

// What the command line says to every test.
struct Settings {
  Selection selection;
  int verbosity = 0;
  bool verifier_stats = false;
  uint64_t seed = 0;
};

// One message of a worker to the runner. offset: how long the log was by then, which tells whose
// text is whose.
struct Record {
  enum class Kind { subtest_begin, subtest_end, test_end };
  Kind kind = Kind::test_end;
  int number = 0;
  std::string name;
  Outcome outcome;
  uint64_t offset = 0;
  bool unselected = false;
};
std::string encode(const Record &record);
// Throws std::exception for text that is no record.
Record decode(const std::string &text);

// Binds this process to the test. record_fd: a SOCK_SEQPACKET socket; log_fd: the file that stdout
// and stderr go to.
void enter_test(const TestInfo &test, const Settings &settings, int record_fd, int log_fd);

// Runs body, turns whatever it throws into an outcome, and notes failures in the log.
Outcome run_body(const std::function<void()> &body);
// The outcome of the whole test, given what the body outside the subtests came to. Sends it.
void leave_test(Outcome outcome);

} // namespace test
