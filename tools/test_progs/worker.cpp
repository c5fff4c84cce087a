// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A worker sets up its process so that the runner can end it whatever happens (own process group,
// dies with the runner, first choice of the OOM killer), runs the test and checks what it left.
#include "tools/test_progs/worker.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "tools/test_progs/cmocka_bridge.h"
#include "tools/test_progs/crash.h"
#include "tools/test_progs/leaks.h"

namespace test
{

// As upstream: a test of this name gets a network of its own, with nothing in it but lo.
static void set_up_network(const TestInfo &test)
{
  if (test.name.starts_with("ns_") && unshare(CLONE_NEWNET) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a network namespace");
}

static void set_up_signals()
{
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  install_crash_handlers();
}

static void set_up_process()
{
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Whatever a test forks comes back to this process, where it is found.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Better this test than the runner, which has to tell about it.
  if (int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
    (void)!write(fd, "500", 3);
    close(fd);
  }
}

// Leaves stdin empty, the log as stdout and stderr, the records as fd 3, and nothing else open.
static void set_up_fds(int record_fd, int log_fd)
{
  int null_fd = open("/dev/null", O_RDONLY);
  dup2(null_fd, STDIN_FILENO);
  dup2(log_fd, STDOUT_FILENO);
  dup2(log_fd, STDERR_FILENO);
  dup2(record_fd, 3);
  fcntl(3, F_SETFD, FD_CLOEXEC);
  close_range(4, ~0u, 0);
  // Nothing may be lost in a buffer when the test crashes.
  setvbuf(stdout, nullptr, _IONBF, 0);
  setvbuf(stderr, nullptr, _IONBF, 0);
}

static Outcome run_checked(const TestInfo &test, bool alone)
{
  Outcome set_up = run_body([&] { set_up_network(test); });
  if (set_up.result != Result::ok)
    return set_up;
  LeakCheck check(isolate_mounts(), alone);
  Outcome outcome = run_body(test.body);
  for (const std::string &line : check.leaks()) {
    fail(test.name.c_str(), 0, "leak", line);
    outcome = {Result::fail, "the test left something behind"};
  }
  return outcome;
}

void run_worker(const TestInfo &test, const Settings &settings, int record_fd, int log_fd,
                bool alone) noexcept
{
  set_up_process();
  set_up_signals();
  set_up_fds(record_fd, log_fd);
  srand(static_cast<unsigned>(settings.seed));
  bpf::set_verbose(settings.verbosity > 1);
  enter_test(test, settings, 3, STDOUT_FILENO);
  Outcome outcome = run_as_cmocka_test(test.name.c_str(), [&] { return run_checked(test, alone); });
  leave_test(outcome);
  exit(0);
}

} // namespace test
