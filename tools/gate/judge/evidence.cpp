// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/evidence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "tools/gate/statistics/ranks.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/lib/distributions.h"

namespace gate
{

using result::Better;

static constexpr double power = 0.9;

namespace
{

class Paired : public Evidence {
public:
  Paired(Pairs pairs, double tolerance, Better better, size_t planned_units)
      : x_pairs(std::move(pairs)), x_limit(std::log1p(tolerance)), x_better(better),
        x_planned(planned_units)
  {
  }

  double p_worse() const override { return x_pairs.p_above(x_limit); }
  double p_better() const override { return x_pairs.p_below(-x_limit); }
  double p_not_worse() const override { return x_pairs.p_below(x_limit); }

  double change() const override { return shown(x_pairs.estimate()); }

  Interval interval(double level) const override
  {
    double low = shown(x_pairs.lower(level)), high = shown(x_pairs.upper(level));
    return {std::min(low, high), std::max(low, high)};
  }

  double mde(double test_level) const override
  {
    size_t units = std::max(x_planned, x_pairs.size());
    if (units < fewest_pairs(test_level))
      return infinity;
    double error = standard_error() * std::sqrt(static_cast<double>(x_pairs.size()) / units);
    return std::expm1(x_limit + (z(test_level) + z(1 - power)) * error);
  }

  std::optional<size_t> units_needed(double test_level, double proof_level) const override
  {
    double distance = x_pairs.estimate() - x_limit;
    double level = distance > 0 ? test_level : proof_level;
    double root = (z(level) + z(1 - power)) * standard_error() / std::abs(distance);
    double units = x_pairs.size() * root * root;
    if (!(units < most_units))
      return std::nullopt;
    return std::max<size_t>(std::ceil(units), fewest_pairs(level));
  }

private:
  static constexpr double most_units = 10000;

  static double z(double level) { return distributions::normal_upper_quantile(level); }

  // Of the estimate: half the width of the interval that is one standard error each way for normal
  // noise. From the data's own order, so that tails do not count for more than they move.
  double standard_error() const
  {
    double level = distributions::normal_cdf(-1);
    return (x_pairs.upper(level) - x_pairs.lower(level)) / 2;
  }

  double shown(double log) const { return std::expm1(x_better == Better::Higher ? -log : log); }

  Pairs x_pairs;
  double x_limit;
  Better x_better;
  size_t x_planned;
};

class Apart : public Evidence {
public:
  Apart(std::vector<double> base, std::vector<double> comp, Margin margin, Better better,
        bool relative)
      : x_base(std::move(base)), x_comp(std::move(comp)), x_margin(margin), x_better(better),
        x_relative(relative)
  {
    std::sort(x_base.begin(), x_base.end());
    std::sort(x_comp.begin(), x_comp.end());
  }

  double p_worse() const override { return p_exceeds(low_side(), high_side()); }
  double p_better() const override { return p_exceeds(high_side(), low_side()); }

  double p_not_worse() const override
  {
    auto holds = [&](double each) {
      return upper(high_side(), each) < limit(lower(low_side(), each));
    };
    return smallest_level(holds);
  }

  double change() const override { return shown(median(x_base), median(x_comp)); }

  Interval interval(double level) const override
  {
    double base_low = lower(x_base, level / 2), base_high = upper(x_base, level / 2);
    double comp_low = lower(x_comp, level / 2), comp_high = upper(x_comp, level / 2);
    if (!std::isfinite(base_low) || !std::isfinite(comp_low))
      return {x_relative ? -1 : -infinity, infinity};
    return {shown(base_high, comp_low), shown(base_low, comp_high)};
  }

  // Of runs drawn from these loads: the least move of the worse side with which nine of ten of them
  // would be proven worse.
  double mde(double test_level) const override
  {
    Drawn worst = drawn(low_side(), low_side().size(), test_level / 2, true);
    Drawn least = drawn(high_side(), high_side().size(), test_level / 2, false);
    if (worst.empty() || least.empty())
      return infinity;
    std::vector<double> moves;
    for (double top : worst)
      for (double bottom : least)
        moves.push_back(x_relative ? limit(top) / bottom : limit(top) - bottom);
    auto place = moves.begin() + static_cast<long>(power * static_cast<double>(moves.size()));
    std::nth_element(moves.begin(), place, moves.end());
    double move = *place;
    double low = median(low_side()), high = median(high_side());
    return x_relative ? move * high / low - 1 : move + high - low;
  }

  std::optional<size_t> units_needed(double test_level, double proof_level) const override
  {
    bool is_worse = median(high_side()) > limit(median(low_side()));
    double level = (is_worse ? test_level : proof_level) / 2;
    // A step of a tenth is nearer than any guess of this kind.
    std::vector<size_t> counts;
    for (double units = fewest_units(level); units < 10000; units *= 1.1)
      counts.push_back(static_cast<size_t>(std::ceil(units)));
    auto enough = std::partition_point(counts.begin(), counts.end(), [&](size_t units) {
      return share_proven(is_worse, units, level) < power;
    });
    return enough == counts.end() ? std::nullopt : std::optional(*enough);
  }

private:
  // Lower is better: comp must not exceed base. Higher is better: base must not exceed comp.
  const std::vector<double> &low_side() const
  {
    return x_better == Better::Higher ? x_comp : x_base;
  }
  const std::vector<double> &high_side() const
  {
    return x_better == Better::Higher ? x_base : x_comp;
  }

  double limit(double value) const
  {
    return std::max(value * (1 + x_margin.relative), value + x_margin.absolute);
  }

  double shown(double base, double comp) const
  {
    return x_relative ? comp / base - 1 : comp - base;
  }

  double p_exceeds(const std::vector<double> &low, const std::vector<double> &high) const
  {
    auto holds = [&](double each) { return lower(high, each) > limit(upper(low, each)); };
    return smallest_level(holds);
  }

  // A bound of the median as other runs of that many loads would have it: equally likely values, in
  // order, which resampling would draw. Empty: too few loads for the level.
  using Drawn = std::vector<double>;
  static Drawn drawn(const std::vector<double> &sorted, size_t loads, double level, bool is_upper)
  {
    constexpr size_t draws = 20;
    // Asked again and again for the rows of one file, most of which have the same level.
    static thread_local std::map<std::pair<size_t, double>, size_t> orders;
    auto [order, is_new] = orders.try_emplace({loads, level}, 0);
    if (is_new)
      order->second = order_of_bound(loads, level);
    size_t k = order->second;
    if (k == 0)
      return {};
    // The k-th smallest of n shares is of a beta distribution.
    static thread_local std::map<std::pair<size_t, size_t>, Drawn> kept;
    Drawn &shares = kept[{loads, k}];
    for (size_t i = shares.size(); i < draws; i++)
      shares.push_back(distributions::beta_quantile(k, loads - k + 1, (i + 0.5) / draws));
    Drawn values;
    for (size_t i = 0; i < draws; i++)
      values.push_back(at_share(sorted, is_upper ? 1 - shares[draws - 1 - i] : shares[i]));
    return values;
  }

  static double at_share(const std::vector<double> &sorted, double share)
  {
    // The k-th of n values has a share of k / (n + 1) below it, as like as not.
    double place = std::clamp(share * (sorted.size() + 1) - 1, 0.0, sorted.size() - 1.0);
    size_t below = static_cast<size_t>(place);
    size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }

  // How many of the runs with so many loads a side would prove the claim.
  double share_proven(bool is_worse, size_t loads, double level) const
  {
    Drawn low = drawn(low_side(), loads, level, is_worse);
    Drawn high = drawn(high_side(), loads, level, !is_worse);
    size_t proven = 0;
    for (double one : low) {
      double most = limit(one);
      for (double other : high)
        proven += is_worse ? other > most : other < most;
    }
    return static_cast<double>(proven) / (low.size() * high.size());
  }

  // The bounds of statistics.h, of values that are sorted already.
  static double lower(const std::vector<double> &sorted, double level)
  {
    size_t k = order_of_bound(sorted.size(), level);
    return k ? sorted[k - 1] : -infinity;
  }
  static double upper(const std::vector<double> &sorted, double level)
  {
    size_t k = order_of_bound(sorted.size(), level);
    return k ? sorted[sorted.size() - k] : infinity;
  }

  // Half of the level goes to either side's interval. The levels that matter are the exact ones of
  // the order statistics of both sides.
  template <class Holds> double smallest_level(Holds holds) const
  {
    double smallest = 1;
    // The bounds at a half are the nearest: where they do not do, none does.
    if (!holds(0.5))
      return smallest;
    for (size_t n : {x_base.size(), x_comp.size()})
      for (size_t k = 1; 2 * k <= n; k++)
        if (double each = sign_tail(n, n - k + 1); each <= 0.5 && holds(each))
          smallest = std::min(smallest, 2 * each);
    return smallest;
  }

  std::vector<double> x_base;
  std::vector<double> x_comp;
  Margin x_margin;
  Better x_better;
  bool x_relative;
};

// On a metric of which nobody told whether less or more is better: any change beyond the tolerance
// is one for the worse. lower, higher: the same figures judged as if less, and as if more, were
// better.
class TwoSided : public Evidence {
public:
  TwoSided(std::unique_ptr<Evidence> lower, std::unique_ptr<Evidence> higher)
      : x_lower(std::move(lower)), x_higher(std::move(higher))
  {
  }

  // Bonferroni over the two directions.
  double p_worse() const override
  {
    return std::min(1.0, 2 * std::min(x_lower->p_worse(), x_higher->p_worse()));
  }
  double p_better() const override { return 1; }
  // Not worse in either. As an intersection-union test it needed no correction; with it, the
  // interval lies inside the tolerance exactly where that is proven.
  double p_not_worse() const override
  {
    return std::min(1.0, 2 * std::max(x_lower->p_not_worse(), x_higher->p_not_worse()));
  }
  double change() const override { return x_lower->change(); }
  Interval interval(double level) const override { return x_lower->interval(level / 2); }
  double mde(double test_level) const override { return x_lower->mde(test_level / 2); }
  std::optional<size_t> units_needed(double test_level, double proof_level) const override
  {
    auto lower = x_lower->units_needed(test_level / 2, proof_level / 2);
    auto higher = x_higher->units_needed(test_level / 2, proof_level / 2);
    return lower && higher ? std::optional(std::max(*lower, *higher)) : std::nullopt;
  }

private:
  std::unique_ptr<Evidence> x_lower, x_higher;
};

} // namespace

// judged: the figures as evidence where that is better.
template <class Judged> static std::unique_ptr<Evidence> in_direction(Better better, Judged judged)
{
  if (better == Better::Unknown)
    return std::make_unique<TwoSided>(judged(Better::Lower), judged(Better::Higher));
  return judged(better);
}

std::unique_ptr<Evidence> paired_evidence(const std::vector<double> &logs,
                                          const std::vector<bool> &comp_second, double tolerance,
                                          Better better, size_t planned_units)
{
  return in_direction(better, [&](Better way) {
    std::vector<double> worse = logs;
    if (way == Better::Higher)
      std::transform(logs.begin(), logs.end(), worse.begin(), std::negate<>());
    return std::make_unique<Paired>(Pairs(worse, comp_second), tolerance, way, planned_units);
  });
}

std::unique_ptr<Evidence> apart_evidence(std::vector<double> base, std::vector<double> comp,
                                         Margin margin, Better better, bool relative)
{
  return in_direction(better, [&](Better way) {
    return std::make_unique<Apart>(base, comp, margin, way, relative);
  });
}

} // namespace gate
