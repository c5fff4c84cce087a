// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Handlers of fatal signals and of the watchdog. They only write(): anything may be locked or
// broken when they run.
#include "tools/test_progs/crash.h"

#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace test
{

static char g_title[256];

void set_crash_title(const std::string &title)
{
  size_t length = std::min(title.size(), sizeof(g_title) - 1);
  memcpy(g_title, title.data(), length);
  g_title[length] = '\0';
}

const char *crash_title() { return g_title; }

static void put(const char *text) { (void)!write(STDERR_FILENO, text, strlen(text)); }

static void put_number(int number)
{
  char digits[12];
  char *p = digits + sizeof(digits) - 1;
  *p = '\0';
  do
    *--p = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  put(p);
}

static void put_stack()
{
  void *frames[128];
  put("Stack trace:\n");
  backtrace_symbols_fd(frames, backtrace(frames, 128), STDERR_FILENO);
}

static void on_fatal(int signal)
{
  put(g_title);
  put(":\nCaught signal #");
  put_number(signal);
  put("!\n");
  put_stack();
  // SA_RESETHAND has put the default action back: die of the same signal, for the runner to see.
  raise(signal);
}

static void on_watchdog(int)
{
  int saved = errno;
  put("WATCHDOG: test case ");
  put(g_title);
  put(" takes too long\n");
  put_stack();
  errno = saved;
}

void install_crash_handlers()
{
  static char stack[64 * 1024];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof(stack);
  sigaltstack(&alternate, nullptr);

  // The first call loads libgcc, which is no business of a signal handler.
  void *frame;
  backtrace(&frame, 1);

  struct sigaction action = {};
  action.sa_handler = on_fatal;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP})
    sigaction(signal, &action, nullptr);
  action.sa_handler = on_watchdog;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(watchdog_signal, &action, nullptr);
}

} // namespace test
