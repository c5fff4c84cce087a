// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/exact.h"

#include <algorithm>
#include <cmath>

#include "tools/gate/statistics/statistics.h"

namespace gate
{

// The largest distance of a value from the median.
static double spread_of(const std::vector<double> &values)
{
  double middle = median(values), most = 0;
  for (double value : values)
    most = std::max(most, std::abs(value - middle));
  return most;
}

Exact judge_exact(const std::vector<double> &base, const std::vector<double> &comp, double floor,
                  bool relative)
{
  double from = median(base), to = median(comp);
  double unit = relative ? std::abs(from) : 1;
  Exact exact;
  exact.change = (to - from) / unit;
  exact.spread = (spread_of(base) + spread_of(comp)) / unit;
  exact.tolerance = std::max(floor, exact.spread);
  return exact;
}

} // namespace gate
