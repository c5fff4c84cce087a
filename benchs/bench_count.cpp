// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// count-*: what a producer can do at most, without BPF and without the kernel. One hit is one
// atomic addition, to a counter that all producers share or to the producer's own.
#include "tools/bench/reports.h"
#include "tools/bench/user_loop_bench.h"

namespace
{

using namespace bench;

class Count : public UserLoopBench {
public:
  Count(const Params &params, bool shared) : x_shared(shared), x_counters(params.producers) {}

private:
  void loop(unsigned producer, uint32_t nr_ops) override
  {
    auto &count = x_counters[x_shared ? 0 : producer].count;
    for (uint32_t i = 0; i < nr_ops; i++)
      __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  }

  std::optional<uint64_t> counted(unsigned producer) override
  {
    return __atomic_load_n(&x_counters[x_shared ? 0 : producer].count, __ATOMIC_RELAXED);
  }

  bool x_shared;
  std::vector<bench_hits> x_counters;
};

Descriptor count_of(const char *name, const char *op, bool shared)
{
  return {.name = name, .op = op, .report = hits_drops_report(), .load = [=](const Params &params) {
            return std::make_unique<Count>(params, shared);
          }};
}

const Register count{
    count_of("count-global", "one atomic addition to a counter of all producers", true),
    count_of("count-local", "one atomic addition to a counter of the producer's own", false),
};

} // namespace
