// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/inject.h"

#include <cmath>

namespace bench
{

double inject(Bench &bench, double pct)
{
  bench.set_inject_q20(0);
  double spin_ns = bench.measure_injection().spin_ns;
  bench.set_inject_q20(std::llround(std::ldexp(pct / 100 / spin_ns, 20)));
  return spin_ns;
}

} // namespace bench
