// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/user_loop_bench.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <limits>

#include "tools/bench/wall_clock.h"

namespace bench
{

// The same chain of multiplications as bench_spin() of bench_loop.bpf.h.
static void spin(uint64_t spins)
{
  uint64_t sink = 0;
  for (uint64_t i = 0; i < spins; i++) {
    sink = sink * 6364136223846793005ULL + i;
    asm volatile("" : "+r"(sink));
  }
}

Counts UserLoopBench::run(unsigned producer, uint32_t nr_ops)
{
  auto before = counted(producer);
  uint64_t start = now_ns();
  loop(producer, nr_ops);
  uint64_t inject_q20 = x_inject_q20;
  if (inject_q20)
    spin((now_ns() - start) * inject_q20 >> 20);
  Counts counts;
  counts.ns = now_ns() - start;
  counts.hits = nr_ops;
  // More is no fault: another producer on this CPU, another process that is traced as well.
  auto after = counted(producer);
  if (before)
    require_runs(*after - *before, nr_ops);
  return counts;
}

std::optional<Counts> UserLoopBench::run_base(unsigned producer, uint32_t nr_ops)
{
  if (!begin_base())
    return std::nullopt;
  Counts counts;
  counts.hits = nr_ops;
  uint64_t start = now_ns();
  base_loop(producer, nr_ops);
  counts.ns = now_ns() - start;
  end_base();
  return counts;
}

// The fastest of several: whatever disturbs a run only makes it longer.
InjectionCost UserLoopBench::measure_injection()
{
  constexpr uint64_t spins = 50000;
  auto fastest = [](uint64_t nr) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 9; i++) {
      uint64_t start = now_ns();
      spin(nr);
      best = std::min(best, static_cast<double>(now_ns() - start));
    }
    return best;
  };
  double spin_ns = fastest(spins) / spins;
  return {fastest(1) - spin_ns, spin_ns};
}

void require_runs(uint64_t runs, uint64_t ops)
{
  if (runs < ops)
    throw std::runtime_error(fmt::format("the attached program ran {} times in {} ops", runs, ops));
}

uint64_t hits_here(std::span<const bench_hits> hits)
{
  unsigned cpu = static_cast<unsigned>(std::max(0, sched_getcpu()));
  return __atomic_load_n(&hits[cpu % BENCH_HIT_CPUS].count, __ATOMIC_RELAXED);
}

} // namespace bench
