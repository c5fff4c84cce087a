// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/pinned_thread.h"

#include "tools/lib/cpus.h"

namespace bench
{

PinnedThread::PinnedThread(int cpu, std::function<void(const std::stop_token &)> work)
    : x_thread([this, cpu, work = std::move(work)](const std::stop_token &stop) {
        try {
          pin_this_thread(cpu);
          work(stop);
        } catch (...) {
          x_failure = std::current_exception();
          x_failed.store(true, std::memory_order_release);
        }
      })
{
}

void PinnedThread::check() const
{
  if (x_failed.load(std::memory_order_acquire))
    std::rethrow_exception(x_failure);
}

} // namespace bench
