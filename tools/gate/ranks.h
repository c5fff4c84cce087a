// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The test of pairs: exact by randomisation, whatever the noise, the drift or the position does.
//
// A pair measures both sides back to back; in half of the pairs, drawn before measuring, comp comes
// second. What the second place does to a figure (warmer caches, later in a drift) is a part of
// y = ln(comp / base) with one sign where comp was second (group H) and with the other where it was
// first (group L), while a true change has one sign in both. So y of H and -y of L are two samples
// that differ by nothing but twice the change, and under the null hypothesis every split into H and
// L was equally likely: the Mann-Whitney test of the two is exact. Counting pairs (h, l) with
// h > -l is counting cross means (h + l) / 2 above 0; with a margin m, above m. Estimate (half the
// Hodges-Lehmann shift), interval and test all come from these cross means.
#pragma once

#include <cstddef>
#include <vector>

namespace gate
{

// P(U >= wins) of the Mann-Whitney statistic of two samples of these sizes when there is no
// difference. Exact (Gaussian binomial) up to 500 values in all, then the normal approximation,
// which is too large in the tails.
double mann_whitney_tail(size_t high, size_t low, size_t wins);

// The k of the k-th smallest cross mean that is an exact lower bound of the change at the one-sided
// level alpha; 0 when the samples are too small for any.
size_t order_of_cross_bound(size_t high, size_t low, double alpha);

// Fewest pairs, split into halves, with which level alpha can be reached.
size_t fewest_pairs(double alpha);

// (h + l) / 2 of each value of one group with each of the other, sorted. second: the group.
std::vector<double> cross_means(const std::vector<double> &values, const std::vector<bool> &second);

} // namespace gate
