// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A worker sets up its process so that the runner can end it whatever happens (own process group,
// dies with the runner, first choice of the OOM killer), runs the test and checks what it left.
#include "tools/test_progs/worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tools/test_progs/cmocka_bridge.h"
#include "tools/test_progs/crash.h"

namespace test
{

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
  for (int fd = 4, last = static_cast<int>(sysconf(_SC_OPEN_MAX)); fd < last && fd < 1024; fd++)
    close(fd);
  // Nothing may be lost in a buffer when the test crashes.
  setvbuf(stdout, nullptr, _IONBF, 0);
  setvbuf(stderr, nullptr, _IONBF, 0);
}

void run_worker(const TestInfo &test, const Settings &settings, int record_fd, int log_fd,
                [[maybe_unused]] bool alone)
{
  set_up_process();
  set_up_signals();
  set_up_fds(record_fd, log_fd);
  srand(static_cast<unsigned>(settings.seed));
  bpf::set_verbose(settings.verbosity > 1);
  enter_test(test, settings, 3, STDOUT_FILENO);
  Outcome outcome = run_as_cmocka_test(test.name.c_str(), [&] { return run_body(test.body); });
  leave_test(outcome);
  exit(0);
}

} // namespace test
