// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/interrupt.h"

#include <atomic>
#include <csignal>

namespace vmtest
{

static std::atomic<int> g_count, g_signal;

static void on_signal(int signal)
{
  if (g_count.fetch_add(1) == 0)
    g_signal = signal;
}

void catch_interrupts()
{
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) // nohup
      sigaction(signal, &action, nullptr);
  }
}

// The count first: the signal is then there, or the next look will see it.
Interrupts interrupts()
{
  Interrupts seen{g_count, g_signal};
  return seen.signal ? seen : Interrupts{};
}

} // namespace vmtest
