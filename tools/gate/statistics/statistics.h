// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The statistics of the gate: order statistics, the sign test, Holm's procedure. Pure functions.
//
// Why the sign test. Times on a shared machine have no variance to speak of (spread of one epoch:
// 600 % and more, by single preemptions), come in modes and drift: a t-test, and all that needs
// symmetry or a shape, raises false alarms there. The sign test asks only on which side of the
// limit each unit lies. What it assumes: the units are independent, and under the null hypothesis
// a unit is as likely above the limit as below. The fair random order of the two sides makes
// ln(comp / base) of one unit symmetric around 0 when the sides are exchangeable, so an effect of
// position cannot bias the sign. What it costs: about a third of the units, compared with a t-test
// on normal noise; and with few units small levels cannot be reached at all (20 units: 1e-6).
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace gate
{

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// Of values that are all finite. Empty: NaN. quantile: q from 0 to 1, linear between neighbours.
double median(std::vector<double> values);
double quantile(std::vector<double> values, double q);

// Those that are numbers; nothing for what is none.
std::vector<double> finite(const std::vector<double> &values);
std::optional<double> finite(double value);

// Standard deviation of the middle half: IQR / 1.349, which is sigma for normal noise.
double robust_sigma(const std::vector<double> &values);

// P(Bin(n, 1/2) >= hits): how likely it is that at least that many of n fair coins fall one way.
double sign_tail(size_t n, size_t hits);

// The k of the k-th smallest value that is an exact lower bound of the median at the one-sided
// level alpha; 0 when n is too small for any.
size_t order_of_bound(size_t n, double alpha);

// Fewest units with which level alpha can be reached.
size_t fewest_units(double alpha);

// Exact one-sided bounds of the median; -inf and +inf when there are too few values.
double lower_bound(std::vector<double> values, double alpha);
double upper_bound(std::vector<double> values, double alpha);

struct Holm {
  bool rejected;
  // The level that this hypothesis was tested at: its bound at this level is past the limit exactly
  // when it was rejected.
  double level;
};

// Holm's step-down procedure: family-wise error at most alpha, whatever the dependence.
std::vector<Holm> holm(const std::vector<double> &p, double alpha);

} // namespace gate
