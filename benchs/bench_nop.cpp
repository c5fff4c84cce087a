// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bpf-nop: the floor of everything that is timed inside the kernel. One hit is one iteration of a
// loop that does nothing.
#include "tools/bench/test_run_bench.h"
#include "tools/bench/upstream_reports.h"

// After the header that defines its structs.
#include "anchor_bench.skel.h"

namespace
{

using namespace bench;

class Nop : public TestRunBench {
public:
  explicit Nop(const Params &params) : x_skel("anchor_bench")
  {
    x_skel.load_only({x_skel->progs.empty});
    use(x_skel->progs.empty, nullptr, x_skel->bss->bench_slots, params.producers, 1);
  }

private:
  bpf::Skeleton<anchor_bench> x_skel;
};

const Register nop{{
    .name = "bpf-nop",
    .op = "one iteration of an empty bpf_loop()",
    .report = timing_report("bpf-nop"),
    .load = [](const Params &params) { return std::make_unique<Nop>(params); },
}};

} // namespace
