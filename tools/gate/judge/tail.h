// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The slow end of the epochs: what the faster quartile, which decides, cannot see.
//
// A high quantile p of epochs is told by the slowest epoch of each load: the slowest of m epochs is
// below the p quantile with probability p^m, so it is the p^m quantile of these slowest ones. So
// the load stays the unit, and epochs of one load may depend on each other. Each side's quantile
// gets an exact binomial interval of order statistics; which p can be told follows from the number
// of loads and epochs alone.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tools/gate/judge/compare.h"

namespace gate
{

// The row beside `row` (a time, measured interleaved) for the highest of 99.9, 99, 97.5, 95 and
// 90 % that the units support. base and comp: epochs by load, in one unit. Nothing with fewer than
// two epochs a load, or with too few loads for any of these.
std::optional<Candidate> tail_row(const Row &row, const std::vector<std::vector<double>> &base,
                                  const std::vector<std::vector<double>> &comp,
                                  const Settings &settings);

// Exact one-sided bounds of a quantile q at level alpha; -inf and +inf when there are too few
// values. (statistics.h has the same for the median.)
double quantile_lower(const std::vector<double> &sorted, double q, double alpha);
double quantile_upper(const std::vector<double> &sorted, double q, double alpha);

} // namespace gate
