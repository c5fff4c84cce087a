// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The designs that were weighed for pairs measured back to back. All are exact; they differ in what
// they see through. The gate uses the last (tools/gate/statistics/ranks.h); the others live here
// only.
#pragma once

#include <cstddef>
#include <vector>

namespace power
{

enum class Design {
  Sign,   // on which side of the margin ln(comp / base) of each pair lies
  Ranks,  // Mann-Whitney between the pairs of either order
  Scores, // the same with clipped ranks
};

// p-value of "comp is slower by more than tolerance" (a fraction). second: comp was second.
double p_slower(Design design, const std::vector<double> &logs, const std::vector<bool> &second,
                double tolerance);

// P(U >= wins) of the Mann-Whitney statistic of two samples of these sizes when there is no
// difference. Exact (Gaussian binomial) up to 500 values in all, then the normal approximation.
double mann_whitney_tail(size_t high, size_t low, size_t wins);

} // namespace power
