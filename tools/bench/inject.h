// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench --inject: slows an op by a known share, to see whether a gate notices. Spins are added on
// the BPF side inside the timed region, once per run and in proportion to its ops, so that also a
// tenth of a percent of a 10 ns op can be had.
#pragma once

#include "tools/bench/runner.h"

namespace bench
{

struct Injection {
  double pct = 0;          // of one op
  double op_ns = 0;        // fastest run of this load without spins
  double spin_ns = 0;      // one spin, fastest of several
  double spins_per_op = 0; // what was set
};

// Measures op and spin in this load and sets the bench to spin. pct > 0.
Injection inject(Bench &bench, Producers &producers, const Descriptor &descriptor,
                 const Params &params, double pct);

// The number of ops, a whole number of cycles, that takes at least this long. At most 2^23.
uint32_t ops_for(Producers &producers, const Descriptor &descriptor, const Params &params,
                 double ns);

// At least nr ops, a whole number of cycles.
uint32_t whole_cycles(const Descriptor &descriptor, const Params &params, uint64_t nr);

} // namespace bench
