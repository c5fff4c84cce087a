// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The published rules of other comparers, each given all epochs of the same units, interleaved as
// none of them would measure: that is generous. One direction, "slower", is asked for.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/gate/research/power/designs.h"
#include "tools/gate/research/power/rules.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/lib/distributions.h"

namespace power
{

namespace
{

struct Moments {
  double mean = 0, variance = 0, count = 0;
};

struct Sides {
  std::vector<double> base, comp;
};

} // namespace

static Moments moments(const std::vector<double> &values)
{
  Moments m = {.count = static_cast<double>(values.size())};
  m.mean = std::accumulate(values.begin(), values.end(), 0.0) / m.count;
  for (double value : values)
    m.variance += (value - m.mean) * (value - m.mean) / (m.count - 1);
  return m;
}

static Sides all_epochs(const std::vector<Unit> &units)
{
  Sides sides;
  for (const Unit &unit : units) {
    sides.base.insert(sides.base.end(), unit.base.begin(), unit.base.end());
    sides.comp.insert(sides.comp.end(), unit.comp.begin(), unit.comp.end());
  }
  return sides;
}

// Means of so many equal parts: what a run of a part of the time would have printed.
static std::vector<double> parts(const std::vector<double> &values, size_t count)
{
  std::vector<double> means;
  count = std::min(count, values.size());
  for (size_t i = 0; i < count; i++) {
    auto begin = values.begin() + i * values.size() / count;
    auto end = values.begin() + (i + 1) * values.size() / count;
    means.push_back(std::accumulate(begin, end, 0.0) / (end - begin));
  }
  return means;
}

static bool fixed_5(const std::vector<Unit> &units)
{
  Sides sides = all_epochs(units);
  return moments(sides.comp).mean > 1.05 * moments(sides.base).mean;
}

// Two-sided p < 0.05 of the exact U test on 10 runs a side.
static bool benchstat(const std::vector<Unit> &units)
{
  Sides sides = all_epochs(units);
  std::vector<double> base = parts(sides.base, 10), comp = parts(sides.comp, 10);
  size_t wins = 0;
  for (double b : base)
    for (double c : comp)
      wins += c > b;
  return mann_whitney_tail(base.size(), comp.size(), wins) <= .025;
}

// t test at 5 % on 100 samples a side, and the interval of the change wholly beyond 1 % of noise.
static bool criterion_like(const std::vector<Unit> &units)
{
  Sides sides = all_epochs(units);
  Moments base = moments(parts(sides.base, 100)), comp = moments(parts(sides.comp, 100));
  double error = std::sqrt(base.variance / base.count + comp.variance / comp.count);
  if (!(error > 0))
    return comp.mean > 1.01 * base.mean;
  double reach =
      distributions::students_t_upper_quantile(base.count + comp.count - 2, .025) * error;
  return comp.mean - reach > base.mean && comp.mean - reach > 1.01 * base.mean;
}

// The 95 % interval (order statistics) of the median ratio of neighbouring epochs excludes 1.
static bool nanobench_pairs(const std::vector<Unit> &units)
{
  std::vector<double> ratios;
  for (const Unit &unit : units)
    for (size_t i = 0; i < std::min(unit.base.size(), unit.comp.size()); i++)
      ratios.push_back(unit.comp[i] / unit.base[i]);
  return gate::lower_bound(ratios, .025) > 1;
}

// A run beyond the mean of the last 30 by two standard deviations.
static bool two_sigma(const std::vector<Unit> &units)
{
  Sides sides = all_epochs(units);
  Moments history = moments(parts(sides.base, 30));
  return parts(sides.comp, 30).back() > history.mean + 2 * std::sqrt(history.variance);
}

const std::vector<PeerRule> &peer_rules()
{
  static const std::vector<PeerRule> rules = {
      {"fixed 5 % on means", fixed_5},
      {"benchstat (U test, n = 10, 5 %)", benchstat},
      {"criterion-like (t, n = 100, 1 % noise)", criterion_like},
      {"nanobench pairs (95 % interval)", nanobench_pairs, true},
      {"2 sigma of the last 30", two_sigma},
  };
  return rules;
}

} // namespace power
