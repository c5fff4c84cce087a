// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bpf-loop: what an iteration of bpf_loop() costs. One hit is one empty iteration; the call itself
// is spread over the nr_loops of them. What makes a figure wrong: comparing figures of different
// nr_loops.
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"

// After the header that defines its structs.
#include "bpf_loop_bench.skel.h"

namespace
{

using namespace bench;

class BpfLoop : public TestRunBench {
public:
  explicit BpfLoop(const Params &params)
      : x_nr_loops(static_cast<uint32_t>(params.number("nr_loops"))), x_skel("bpf_loop_bench")
  {
    x_skel->rodata->nr_loops = x_nr_loops;
    x_skel.load();
    use(x_skel->progs.loop, x_skel->progs.noop, x_skel->bss->bench_slots, params.producers, 1);
  }

  Counts run(unsigned producer, uint32_t nr_ops) override
  {
    return in_iterations(TestRunBench::run(producer, calls(nr_ops)));
  }
  std::optional<Counts> run_base_on(unsigned producer, uint32_t nr_ops) override
  {
    return in_iterations(*TestRunBench::run_base_on(producer, calls(nr_ops)));
  }

private:
  uint32_t calls(uint32_t nr_ops) const { return (nr_ops + x_nr_loops - 1) / x_nr_loops; }
  Counts in_iterations(Counts counts) const
  {
    counts.hits *= x_nr_loops;
    return counts;
  }

  uint32_t x_nr_loops;
  bpf::Skeleton<bpf_loop_bench> x_skel;
};

const Register of_bpf_loop{{
    .name = "bpf-loop",
    .op = "one empty iteration of a bpf_loop() of nr_loops",
    .report = ops_report(),
    .options = {number("nr_loops", 1, 1 << 23, 10, "iterations of one bpf_loop()")},
    .cycle = [](const Params &params) { return params.number("nr_loops"); },
    .load = [](const Params &params) { return std::make_unique<BpfLoop>(params); },
}};

} // namespace
