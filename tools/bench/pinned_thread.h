// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A thread of a benchmark beside its producers: a consumer, or what carries data on.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <thread>

namespace bench
{

class PinnedThread {
public:
  // work: begins at once, on this CPU, and returns soon after it is told to stop.
  PinnedThread(int cpu, std::function<void(const std::stop_token &)> work);

  // Throws what went wrong in the thread.
  void check() const;
  // Tells it; the destructor does, too, and waits for it.
  void stop() { x_thread.request_stop(); }

private:
  std::exception_ptr x_failure;
  std::atomic<bool> x_failed{false};
  std::jthread x_thread;
};

} // namespace bench
