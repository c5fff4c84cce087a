// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// anchor-*: what costs the same whatever became of maps and helpers. One hit is one empty op, or
// one chain of 32 dependent multiplications. What makes a figure wrong: taking it for a figure of
// BPF. It tells of the CPU and of the loop.
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"

// After the header that defines its structs.
#include "anchor_bench.skel.h"

namespace
{

using namespace bench;
using Programs = decltype(anchor_bench::progs);

class Anchor : public TestRunBench {
public:
  Anchor(const Params &params, bpf_program *Programs::*prog) : x_skel("anchor_bench")
  {
    x_skel.load();
    use(x_skel->progs.*prog, x_skel->progs.empty, x_skel->bss->bench_slots, params.producers, 1);
  }

private:
  bpf::Skeleton<anchor_bench> x_skel;
};

Descriptor make(const char *name, const char *op, bpf_program *Programs::*prog)
{
  return {.name = name, .op = op, .report = ops_report(), .load = [=](const Params &params) {
            return std::make_unique<Anchor>(params, prog);
          }};
}

const Register anchor{
    make("anchor-empty", "one iteration of bpf_loop() that does nothing", &Programs::empty),
    make("anchor-alu", "32 multiplications, each of the last one's result", &Programs::alu),
};

} // namespace
