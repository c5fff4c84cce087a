// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The test of pairs: exact by randomisation, whatever the noise, the drift or the position does.
//
// A pair measures both sides back to back; in half of the pairs, drawn before measuring, comp comes
// second. What the second place does to a figure (warmer caches, later in a drift) is a part of
// y = ln(comp / base) with one sign where comp was second (group H) and with the other where it was
// first (group L), while a true change has one sign in both. So y of H and -y of L are two samples
// that differ by nothing but twice the change, and when there is none, every split into H and L was
// equally likely: the distribution of any rank statistic is known exactly, by counting.
//
// The statistic is the sum of H's scores among both samples sorted. A score is the distance of a
// rank from the middle, but at most an eighth of the sample: a unit that was disturbed counts no
// more than one that is clearly on its side. Plain ranks (Mann-Whitney) lose to such units on a
// busy machine, the sign test loses wherever the position moves figures, and this to neither by
// much (docs/measurements.md). Interval and estimate are where the same test would change its mind.
#pragma once

#include <cstddef>
#include <vector>

namespace gate
{

// The scores of n ranks, ascending: whole numbers from -8 to 8.
std::vector<int> rank_scores(size_t n);

// P(sum of the scores of `own` values >= sum) when each choice of `own` out of `all` ranks is
// equally likely. Exact for up to 300 values, then the normal approximation, which is too large in
// the tails.
double score_tail(size_t own, size_t all, long sum);

// Fewest pairs, split into halves, with which level alpha can be reached.
size_t fewest_pairs(double alpha);

// ln(comp / base) of pairs, and whether comp was second.
class Pairs {
public:
  Pairs(const std::vector<double> &logs, const std::vector<bool> &second);

  size_t size() const { return x_high.size() + x_low.size(); }
  // Exact one-sided p-values of "the change is above (below) margin". Ties speak against.
  double p_above(double margin) const;
  double p_below(double margin) const;
  // One-sided bounds of the change at level alpha: p_above(m) <= alpha exactly for all m below
  // lower(alpha). -inf and +inf when there are too few pairs.
  double lower(double alpha) const;
  double upper(double alpha) const;
  double estimate() const; // NaN without pairs of both orders

private:
  template <class Rejects> size_t last_rejected(Rejects rejects) const;

  std::vector<double> x_high, x_low; // y of H and -y of L
  // (h - l) / 2 of each h and l, ascending and without repetition: the margins at which an order
  // changes.
  std::vector<double> x_steps;
};

} // namespace gate
