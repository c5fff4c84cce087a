// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Rates by CPU, as readings of an interval named "cpu" and the number, in ops per ns: for the
// benchmarks of which the kernel's bench prints a line per CPU.
#pragma once

#include <map>
#include <mutex>

#include "tools/bench/bench.h"

namespace bench
{

class PerCpuRates {
public:
  // What this thread did just now; it is pinned to its CPU.
  void add(const Counts &counts);
  // Since the last call.
  Readings take();

private:
  std::mutex x_lock; // guards the rest
  std::map<int, Counts> x_counts;
};

// Of the samples in which the CPU did something.
struct CpuRate {
  int cpu = 0;
  double mean = 0, stddev = 0; // ops per ns
  size_t samples = 0;
};

// By CPU number, ascending.
std::vector<CpuRate> cpu_rates(const std::vector<Sample> &samples);

} // namespace bench
