// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/two_sided.h"

#include <algorithm>

namespace gate
{

namespace
{

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

std::unique_ptr<Evidence> two_sided(std::unique_ptr<Evidence> lower,
                                    std::unique_ptr<Evidence> higher)
{
  return std::make_unique<TwoSided>(std::move(lower), std::move(higher));
}

} // namespace gate
