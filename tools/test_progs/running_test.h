// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A test that runs in its worker, seen from the runner: its records, its log, its watchdog, its
// end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

#include "tools/lib/fd.h"
#include "tools/test_progs/runner.h"
#include "tools/test_progs/worker_log.h"

namespace test
{

using Clock = std::chrono::steady_clock;

class RunningTest {
public:
  // Forks the worker. Throws std::system_error. alone: nothing else runs beside it.
  RunningTest(const TestInfo &test, const Settings &settings, const RunnerOptions &options,
              bool alone);
  // Kills a worker that has not been finished.
  ~RunningTest();
  RunningTest(const RunningTest &) = delete;
  RunningTest &operator=(const RunningTest &) = delete;

  pid_t pid() const { return x_pid; }
  int exit_fd() const { return x_pidfd.get(); } // readable when the worker has ended
  int record_fd() const { return x_records.get(); }

  void read_records(Listener &listener);
  void show_log(Listener &listener) { show_log(listener, x_log.size()); }
  // Watchdog and flood control; call about once a second.
  void tick();
  // Ends the test from outside, now.
  void end(const std::string &reason);
  // Call once, when the worker has ended: reaps it and gives the result.
  TestResult finish(Listener &listener);

private:
  void take(const Record &record, Listener &listener);
  void begin_subtest(const Record &record);
  void end_subtest(const Record &record, Listener &listener);
  void show_log(Listener &listener, uint64_t end);
  void watch(Clock::duration running);
  void kill_group();
  std::string title() const;
  std::string describe_end(int status) const;
  void close_books(const std::string &why, Listener &listener);

  const RunnerOptions &x_options;
  TestResult x_result;
  WorkerLog x_log;
  Fd x_records;
  Fd x_pidfd;
  pid_t x_pid = -1;

  bool x_complete = false; // the worker has given its outcome
  std::optional<SubtestResult> x_subtest;
  uint64_t x_offset = 0; // up to where the log has been put down to someone
  uint64_t x_oom_kills;

  Clock::time_point x_started = Clock::now();
  Clock::time_point x_mark = x_started; // when the running (sub)test began
  bool x_noticed = false;
  std::optional<Clock::time_point> x_kill_at;
  std::string x_ended_by;
};

} // namespace test
