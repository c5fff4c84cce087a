// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/system/interrupt.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace gate
{

static volatile sig_atomic_t g_interrupted;
static bool g_catching;
static sigset_t g_old_mask;

static void on_signal(int) { g_interrupted = 1; }

void catch_interrupts()
{
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigset_t held;
  sigemptyset(&held);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    sigaction(signal, &action, nullptr);
    sigaddset(&held, signal);
  }
  sigprocmask(SIG_BLOCK, &held, &g_old_mask);
  signal(SIGPIPE, SIG_IGN);
  g_catching = true;
}

void restore_signals()
{
  signal(SIGPIPE, SIG_DFL);
  if (g_catching)
    sigprocmask(SIG_SETMASK, &g_old_mask, nullptr);
}

void check_interrupts()
{
  // A poll without time lets a held signal in.
  const timespec no_time = {};
  if (g_catching)
    ppoll(nullptr, 0, &no_time, &g_old_mask);
  if (g_interrupted)
    throw interrupted_error();
}

int wait_any(pollfd *wanted, size_t count, long timeout_ms)
{
  timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000};
  int ready = ppoll(wanted, count, &timeout, g_catching ? &g_old_mask : nullptr);
  if (g_interrupted)
    throw interrupted_error();
  if (ready < 0 && errno != EINTR)
    throw std::system_error(errno, std::generic_category(), "cannot poll");
  return std::max(ready, 0);
}

bool wait_readable(int fd, long timeout_ms)
{
  pollfd wanted = {fd, POLLIN, 0};
  return wait_any(&wanted, 1, timeout_ms) > 0;
}

} // namespace gate
