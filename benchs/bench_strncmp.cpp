// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// strncmp-*: bpf_strncmp() against the same comparison as an open-coded loop. One hit is one
// comparison of two strings that differ in the last of cmp-str-len bytes; no system call is part
// of it, unlike in the kernel's bench.
#include <random>

#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"

// After the header that defines its structs.
#include "strncmp_bench.skel.h"

namespace
{

using namespace bench;
using Skel = strncmp_bench;
using Programs = decltype(Skel::progs);

class Strncmp : public TestRunBench {
public:
  Strncmp(const Params &params, bpf_program *Programs::*prog) : x_skel("strncmp_bench")
  {
    uint64_t length = params.number("cmp-str-len");
    // rodata is frozen by the load; that is what lets the verifier trust its terminator.
    char *target = const_cast<char *>(x_skel->rodata->target);
    std::mt19937 digits(1);
    for (uint64_t i = 0; i < length; i++)
      target[i] = static_cast<char>('1' + digits() % 9);
    std::copy_n(target, length, x_skel->bss->text);
    x_skel->bss->text[length - 1]--;
    x_skel->rodata->cmp_str_len = static_cast<uint32_t>(length);
    x_skel.load_only({x_skel->progs.*prog, x_skel->progs.noop});
    use(x_skel->progs.*prog, x_skel->progs.noop, x_skel->bss->bench_slots, params.producers, 1);
  }

private:
  bpf::Skeleton<Skel> x_skel;
};

Descriptor strncmp_bench_of(const char *name, const char *op, bpf_program *Programs::*prog)
{
  return {.name = name,
          .op = op,
          .report = hits_drops_report(),
          .options = {number("cmp-str-len", 1, 4095, 32, "bytes compared")},
          .ops_per_run = 1000,
          .counted_ops =
              [](const Params &params) {
                constexpr uint64_t bytes = 200 * 64; // compared in one run
                return static_cast<uint32_t>(
                    std::min<uint64_t>(200, bytes / params.number("cmp-str-len")));
              },
          .load = [=](const Params &params) { return std::make_unique<Strncmp>(params, prog); }};
}

const Register strncmp_benchs{
    strncmp_bench_of("strncmp-no-helper", "one comparison by a loop in BPF", &Programs::no_helper),
    strncmp_bench_of("strncmp-helper", "one bpf_strncmp()", &Programs::helper),
};

} // namespace
