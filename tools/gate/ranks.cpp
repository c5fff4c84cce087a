// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/ranks.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <mutex>

namespace gate
{

static constexpr size_t most_exact = 500;

namespace
{

// P(U <= k) for k up to the middle, by symmetry all that is needed. The number of splits with U = k
// is the coefficient of q^k in the Gaussian binomial, the product of (1 - q^(low + i)) / (1 - q^i).
// Each coefficient depends on lower ones only, which are smaller up to the middle: nothing cancels.
std::vector<double> lower_tails(size_t high, size_t low)
{
  size_t middle = high * low / 2;
  std::vector<double> count(middle + 1, 0);
  count[0] = 1;
  double all = 1;
  for (size_t i = 1; i <= high; i++) {
    for (size_t k = middle; k >= low + i; k--)
      count[k] -= count[k - low - i];
    for (size_t k = i; k <= middle; k++)
      count[k] += count[k - i];
    all *= static_cast<double>(low + i) / i;
  }
  double sum = 0;
  for (double &each : count) {
    sum += each / all;
    each = sum;
  }
  return count;
}

} // namespace

static double approximate_tail(double high, double low, double wins)
{
  double sigma = std::sqrt(high * low * (high + low + 1) / 12);
  return boost::math::cdf(complement(boost::math::normal(), (wins - 0.5 - high * low / 2) / sigma));
}

// Computed once for each pair of sizes.
static const std::vector<double> &cached_tails(size_t high, size_t low)
{
  static std::mutex lock;
  static std::map<std::pair<size_t, size_t>, std::vector<double>> known;
  std::lock_guard held(lock);
  auto [place, is_new] = known.try_emplace(std::minmax(high, low));
  if (is_new)
    place->second = lower_tails(std::min(high, low), std::max(high, low));
  return place->second;
}

double mann_whitney_tail(size_t high, size_t low, size_t wins)
{
  size_t most = high * low;
  if (wins == 0)
    return 1;
  if (wins > most)
    return 0;
  if (high + low > most_exact)
    return approximate_tail(high, low, wins);
  const std::vector<double> &tails = cached_tails(high, low);
  // Symmetric: at least `wins` of one side is at most most - wins of the other.
  size_t losses = most - wins;
  return losses < tails.size() ? tails[losses] : 1 - tails[wins - 1];
}

size_t order_of_cross_bound(size_t high, size_t low, double alpha)
{
  size_t most = high * low;
  size_t below = 0, above = most / 2 + 1; // the tail of below is small enough, that of above is not
  while (below + 1 < above) {
    size_t k = (below + above) / 2;
    (mann_whitney_tail(high, low, most - k + 1) <= alpha ? below : above) = k;
  }
  return below;
}

size_t fewest_pairs(double alpha)
{
  // One split of all C(n, n / 2) is the most extreme one.
  double splits = 1;
  for (size_t half = 1; half < 500; half++) {
    splits *= static_cast<double>(2 * half) * (2 * half - 1) / (half * half);
    if (1 / splits <= alpha)
      return 2 * half;
  }
  return 1000;
}

std::vector<double> cross_means(const std::vector<double> &values, const std::vector<bool> &second)
{
  std::vector<double> groups[2], means;
  for (size_t i = 0; i < values.size(); i++)
    groups[second[i]].push_back(values[i]);
  means.reserve(groups[0].size() * groups[1].size());
  for (double a : groups[0])
    for (double b : groups[1])
      means.push_back((a + b) / 2);
  std::sort(means.begin(), means.end());
  return means;
}

} // namespace gate
