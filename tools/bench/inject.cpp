// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/inject.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bench
{

constexpr uint64_t most_ops = 1 << 23; // bpf_loop()

uint32_t whole_cycles(const Descriptor &descriptor, const Params &params, uint64_t nr)
{
  uint64_t cycle = descriptor.cycle(params);
  uint64_t cycles = std::max<uint64_t>(1, (nr + cycle - 1) / cycle);
  return static_cast<uint32_t>(std::min(cycles * cycle, std::max(cycle, most_ops / cycle * cycle)));
}

uint32_t ops_for(Producers &producers, const Descriptor &descriptor, const Params &params,
                 double ns)
{
  if (!descriptor.batched)
    return 1;
  uint64_t nr = 16;
  while (true) {
    uint32_t ops = whole_cycles(descriptor, params, nr);
    Counts counts = producers.run_epoch(ops);
    if (static_cast<double>(counts.ns) / params.producers >= ns || nr >= most_ops)
      return ops;
    nr = std::max<uint64_t>(ops, nr) * 2;
  }
}

Injection inject(Bench &bench, Producers &producers, const Descriptor &descriptor,
                 const Params &params, double pct)
{
  Injection injection{.pct = pct};
  bench.set_inject_q20(0);
  uint32_t ops = ops_for(producers, descriptor, params, 200e3);
  // The fastest of several: whatever disturbs a run only makes it longer.
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < (descriptor.batched ? 25 : 5); i++) {
    Counts counts = producers.run_epoch(ops);
    best = std::min(best, static_cast<double>(counts.ns) / counts.ops());
  }
  injection.op_ns = best;
  injection.spin_ns = bench.measure_spin_ns();
  injection.spins_per_op = pct / 100 * injection.op_ns / injection.spin_ns;
  bench.set_inject_q20(std::llround(std::ldexp(injection.spins_per_op, 20)));
  return injection;
}

} // namespace bench
