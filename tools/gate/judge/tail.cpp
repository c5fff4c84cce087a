// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/gate/statistics/statistics.h"
#include "tools/lib/distributions.h"

namespace gate
{

using result::Better;

// P(Bin(n, q) >= k)
static double at_least(size_t n, double q, size_t k)
{
  if (k == 0)
    return 1;
  return distributions::binomial_upper_tail(n, q, k - 1);
}

double quantile_lower(const std::vector<double> &sorted, double q, double alpha)
{
  // The k-th smallest exceeds the quantile when fewer than k values lie below it.
  size_t n = sorted.size(), k = 0;
  // Not as 1 - P(Bin > k), which is 0 from 1e-16 on.
  while (k < n && distributions::binomial_cdf(n, q, k) <= alpha)
    k++;
  return k == 0 ? -infinity : sorted[k - 1];
}

double quantile_upper(const std::vector<double> &sorted, double q, double alpha)
{
  size_t n = sorted.size(), k = n + 1;
  while (k > 1 && at_least(n, q, k - 1) <= alpha)
    k--;
  return k > n ? infinity : sorted[k - 1];
}

namespace
{

// Slowest epochs by load, as times for the worse, so that less is better.
class Tail : public Evidence {
public:
  Tail(std::vector<double> base, std::vector<double> comp, double q, double tolerance,
       bool inverted)
      : x_base(std::move(base)), x_comp(std::move(comp)), x_q(q), x_factor(1 + tolerance),
        x_inverted(inverted)
  {
    std::sort(x_base.begin(), x_base.end());
    std::sort(x_comp.begin(), x_comp.end());
  }

  double p_worse() const override
  {
    return smallest([&](double each) {
      return quantile_lower(x_comp, x_q, each) > x_factor * quantile_upper(x_base, x_q, each);
    });
  }
  double p_better() const override
  {
    return smallest([&](double each) {
      return quantile_lower(x_base, x_q, each) > x_factor * quantile_upper(x_comp, x_q, each);
    });
  }
  double p_not_worse() const override
  {
    return smallest([&](double each) {
      return quantile_upper(x_comp, x_q, each) < x_factor * quantile_lower(x_base, x_q, each);
    });
  }

  double change() const override { return shown(quantile(x_comp, x_q) / quantile(x_base, x_q)); }

  Interval interval(double level) const override
  {
    double low = shown(low_ratio(level)), high = shown(high_ratio(level));
    return {std::min(low, high), std::max(low, high)};
  }

  double mde(double test_level) const override
  {
    // An effect of the distance between the bounds is seen by every second run.
    double half = std::log(high_ratio(test_level) / std::max(low_ratio(test_level), 1e-300)) / 2;
    double z = distributions::normal_upper_quantile(test_level / 2);
    return x_factor * std::exp(half * (1 + 1.2816 / z)) - 1;
  }

  std::optional<size_t> units_needed(double, double) const override { return std::nullopt; }

private:
  double low_ratio(double level) const
  {
    double low = quantile_lower(x_comp, x_q, level / 2),
           high = quantile_upper(x_base, x_q, level / 2);
    return low == -infinity || high == infinity ? 0 : low / high;
  }
  double high_ratio(double level) const
  {
    double high = quantile_upper(x_comp, x_q, level / 2),
           low = quantile_lower(x_base, x_q, level / 2);
    return low == -infinity || high == infinity ? infinity : high / low;
  }

  // Half of the level goes to either side's bound.
  template <class Holds> static double smallest(Holds holds)
  {
    if (!holds(0.5))
      return 1;
    double low = -60, high = std::log(0.5);
    for (int i = 0; i < 50; i++) {
      double middle = (low + high) / 2;
      (holds(std::exp(middle)) ? high : low) = middle;
    }
    return 2 * std::exp(high);
  }

  double shown(double ratio) const { return (x_inverted ? 1 / ratio : ratio) - 1; }

  std::vector<double> x_base, x_comp;
  double x_q, x_factor;
  bool x_inverted;
};

} // namespace

// The slowest of the first m epochs of each load; a load with an unusable one is left out.
static std::vector<double> slowest(const std::vector<std::vector<double>> &loads, size_t m,
                                   bool inverted)
{
  std::vector<double> values;
  for (const std::vector<double> &load : loads) {
    double worst = 0;
    for (size_t i = 0; i < m; i++)
      worst = std::max(worst, load[i] > 0 ? (inverted ? 1 / load[i] : load[i]) : infinity);
    if (std::isfinite(worst))
      values.push_back(worst);
  }
  return values;
}

static size_t fewest_epochs(const std::vector<std::vector<double>> &loads)
{
  size_t fewest = loads.empty() ? 0 : SIZE_MAX;
  for (const std::vector<double> &load : loads)
    fewest = std::min(fewest, load.size());
  return fewest;
}

std::optional<Candidate> tail_row(const Row &row, const std::vector<std::vector<double>> &base,
                                  const std::vector<std::vector<double>> &comp,
                                  const Settings &settings)
{
  size_t m = std::min(fewest_epochs(base), fewest_epochs(comp));
  if (m < 2)
    return std::nullopt;
  bool inverted = row.better == Better::Higher;
  std::vector<double> slow_base = slowest(base, m, inverted),
                      slow_comp = slowest(comp, m, inverted);
  size_t loads = std::min(slow_base.size(), slow_comp.size());
  for (double p : {.999, .99, .975, .95, .9}) {
    double q = std::pow(p, m);
    // The largest of all fails to bound the quantile with this probability; Holm's first step of
    // that many rows must be able to bear it.
    constexpr double rows = 25;
    if (std::pow(q, loads) > settings.alpha / rows / 2)
      continue;
    Candidate tail = {.row = row};
    tail.secondary = true;
    tail.row.metric += " tail";
    tail.row.reasons.clear();
    add_note(tail.row, fmt::format("{:g} % of epochs are faster", 100 * p));
    tail.row.gated = settings.gate_tail;
    tail.row.secondary = true;
    tail.row.base = quantile(slow_base, q);
    tail.row.comp = quantile(slow_comp, q);
    if (inverted)
      tail.row.base = 1 / *tail.row.base, tail.row.comp = 1 / *tail.row.comp;
    tail.row.base_loads = slow_base.size();
    tail.row.comp_loads = slow_comp.size();
    tail.row.method = "tail";
    tail.row.tolerance = settings.tolerance;
    tail.evidence = std::make_unique<Tail>(std::move(slow_base), std::move(slow_comp), q,
                                           settings.tolerance, inverted);
    tail.row.change = tail.evidence->change();
    return tail;
  }
  return std::nullopt;
}

} // namespace gate
