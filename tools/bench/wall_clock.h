// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The clock on the wall, for benchmarks whose ops are not timed inside the kernel.
#pragma once

#include <chrono>
#include <cstdint>

namespace bench
{

// CLOCK_MONOTONIC.
inline uint64_t now_ns()
{
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// --inject of what mostly waits: waits by the clock, for a share of ns in units of 2^-20, and
// returns how long it was to be. measure_injection() is then {0, 1}: a "spin" is a nanosecond.
inline uint64_t wait_injected(uint64_t ns, uint64_t inject_q20)
{
  uint64_t more = ns * inject_q20 >> 20;
  for (uint64_t end = now_ns() + more; more && now_ns() < end;)
    ;
  return more;
}

} // namespace bench
