// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The loop around the workers: one poll() waits for records, ends, the watchdog's second and the
// signals that end the run.
#include "tools/test_progs/runner.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <list>
#include <system_error>

#include "tools/test_progs/processes.h"
#include "tools/test_progs/running_test.h"

namespace test
{

namespace
{

// SIGINT, SIGTERM and SIGHUP as a file descriptor, while it lives. Once one has come they stay
// blocked: a second one, as nested timeouts send, must not cost the reports.
class EndSignals {
public:
  EndSignals()
  {
    sigset_t set;
    sigemptyset(&set);
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
      sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &x_before);
    x_fd.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!x_fd)
      throw std::system_error(errno, std::generic_category(), "cannot watch for signals");
  }
  ~EndSignals()
  {
    if (!x_taken)
      sigprocmask(SIG_SETMASK, &x_before, nullptr);
  }
  int fd() const { return x_fd.get(); }
  // The signal that came, or 0.
  int take()
  {
    signalfd_siginfo info;
    if (read(fd(), &info, sizeof(info)) == sizeof(info))
      x_taken = static_cast<int>(info.ssi_signo);
    return x_taken;
  }

private:
  sigset_t x_before;
  Fd x_fd;
  int x_taken = 0;
};

class Runner {
public:
  Runner(const Settings &settings, const RunnerOptions &options, Listener &listener)
      : x_settings(settings), x_options(options), x_listener(listener)
  {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  }

  // Runs up to `workers` of the tests at a time, in order.
  void run(std::deque<const TestInfo *> tests, unsigned workers)
  {
    while (!x_result.interrupted_by && (!tests.empty() || !x_running.empty())) {
      for (; !tests.empty() && x_running.size() < workers; tests.pop_front())
        x_running.emplace_back(*tests.front(), x_settings, x_options, workers == 1);
      wait();
    }
    collect();
  }
  RunResult take_result() { return std::move(x_result); }
  bool interrupted() const { return x_result.interrupted_by != 0; }

private:
  void wait();
  void finish_ended();
  void interrupt(int signal);
  void collect();
  void reap_orphans();
  std::vector<pid_t> find_orphans() const;

  const Settings &x_settings;
  const RunnerOptions &x_options;
  Listener &x_listener;
  EndSignals x_signals;
  std::list<RunningTest> x_running;
  RunResult x_result;
};

void Runner::wait()
{
  std::vector<pollfd> fds{{x_signals.fd(), POLLIN, 0}};
  for (RunningTest &test : x_running) {
    fds.push_back({test.exit_fd(), POLLIN, 0});
    fds.push_back({test.record_fd(), POLLIN, 0}); // -1, once closed, is ignored
  }
  poll(fds.data(), fds.size(), x_options.live ? 100 : 500);
  if (int signal = x_signals.take())
    return interrupt(signal);
  for (RunningTest &test : x_running) {
    test.read_records(x_listener);
    test.show_log(x_listener);
    test.tick();
  }
  finish_ended();
}

static bool has_ended(const RunningTest &test)
{
  pollfd fd{test.exit_fd(), POLLIN, 0};
  return poll(&fd, 1, 0) == 1;
}

void Runner::finish_ended()
{
  for (auto test = x_running.begin(); test != x_running.end();) {
    if (!has_ended(*test)) {
      ++test;
      continue;
    }
    x_result.tests.push_back(test->finish(x_listener));
    test = x_running.erase(test);
    reap_orphans();
    x_listener.test_done(x_result.tests.back());
  }
}

// What a test forked into a session of its own comes to this process when the worker ends. It gets
// two seconds to tidy up, as the guard of a memory cgroup does.
void Runner::reap_orphans()
{
  constexpr int tries = 100;
  for (int i = 0; i <= tries; i++) {
    auto orphans = find_orphans();
    if (orphans.empty())
      return;
    for (pid_t orphan : orphans) {
      if (i == tries)
        kill(orphan, SIGKILL);
      waitpid(orphan, nullptr, i == tries ? 0 : WNOHANG);
    }
    usleep(20000);
  }
}

std::vector<pid_t> Runner::find_orphans() const
{
  std::vector<pid_t> orphans = children_of_this_process();
  std::erase_if(orphans, [this](pid_t pid) {
    return std::any_of(x_running.begin(), x_running.end(),
                       [pid](const RunningTest &test) { return test.pid() == pid; });
  });
  return orphans;
}

void Runner::interrupt(int signal)
{
  x_result.interrupted_by = signal;
  for (RunningTest &test : x_running)
    test.end(fmt::format("ended, since test_progs got signal {}", signal));
}

void Runner::collect()
{
  while (!x_running.empty()) {
    pollfd fd{x_running.front().exit_fd(), POLLIN, 0};
    poll(&fd, 1, -1);
    finish_ended();
  }
}

} // namespace

RunResult run_tests(const std::vector<TestInfo> &tests, const Settings &settings,
                    const RunnerOptions &options, Listener &listener)
{
  std::deque<const TestInfo *> beside, alone;
  for (const TestInfo &test : tests)
    (test.serial && options.workers > 1 ? alone : beside).push_back(&test);
  Runner runner(settings, options, listener);
  runner.run(std::move(beside), options.workers);
  if (!runner.interrupted())
    runner.run(std::move(alone), 1);
  return runner.take_result();
}

} // namespace test
