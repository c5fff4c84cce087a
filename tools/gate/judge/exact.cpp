// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/exact.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/gate/statistics/statistics.h"

namespace gate
{

// From ten boots of the quick suite (docs/measurements.md): about twice what medians of five differ
// by. Lines are the mean of 100 ops; misses depend on which addresses share a set.
static constexpr std::pair<std::string_view, EventFloor> event_floors[] = {
    {"modelled_insns", {.relative = 0, .absolute = 0.05}},
    {"modelled_loads", {.relative = 0.002, .absolute = 0.05}},
    {"modelled_stores", {.relative = 0.002, .absolute = 0.05}},
    {"modelled_lines", {.relative = 0.02, .absolute = 0.2}},
    {"modelled_l1i_misses", {.relative = 0.03, .absolute = 0.05}},
    {"modelled_l1d_misses", {.relative = 0.03, .absolute = 0.05}},
    {"modelled_l2_misses", {.relative = 0.05, .absolute = 0.05}},
    {"modelled_l3_misses", {.relative = 0.05, .absolute = 0.05}},
    {"modelled_tlb_misses", {.relative = 0.05, .absolute = 0.05}},
    {"modelled_walks", {.relative = 0.05, .absolute = 0.05}},
    {"modelled_branches", {.relative = 0.002, .absolute = 0.05}},
    {"modelled_mispredicted", {.relative = 0.02, .absolute = 0.02}},
};

EventFloor event_floor(std::string_view metric, double insns)
{
  constexpr double short_op = 500;
  for (const auto &[name, floor] : event_floors)
    if (name == metric)
      return {floor.relative, floor.absolute * std::max(1.0, insns / short_op)};
  return {};
}

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
