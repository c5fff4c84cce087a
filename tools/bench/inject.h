// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench --inject: slows ops by a known share, to see whether a gate notices. Spins are added on the
// BPF side inside the timed region, once per run and in proportion to what its ops took, so that
// also a tenth of a percent of a 10 ns op can be had, and a cold op is slowed as much as a warm
// one.
#pragma once

#include "tools/bench/bench.h"

namespace bench
{

// Measures a spin in this load and sets the bench to spin for pct > 0 percent of the time that ops
// take. Returns the ns of one spin.
double inject(Bench &bench, double pct);

} // namespace bench
