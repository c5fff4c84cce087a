// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/power/designs.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/gate/statistics/ranks.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/lib/distributions.h"

namespace power
{

static constexpr size_t most_exact = 500;

// P(U <= k) for k up to the middle, by symmetry all that is needed. The number of splits with U = k
// is the coefficient of q^k in the Gaussian binomial, the product of (1 - q^(low + i)) / (1 - q^i).
// Each coefficient depends on lower ones only, which are smaller up to the middle: nothing cancels.
static std::vector<double> lower_tails(size_t high, size_t low)
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

static double approximate_tail(double high, double low, double wins)
{
  double sigma = std::sqrt(high * low * (high + low + 1) / 12);
  return distributions::normal_cdf((high * low / 2 - (wins - 0.5)) / sigma);
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
  static std::map<std::pair<size_t, size_t>, std::vector<double>> known;
  auto [place, is_new] = known.try_emplace(std::minmax(high, low));
  if (is_new)
    place->second = lower_tails(std::min(high, low), std::max(high, low));
  const std::vector<double> &tails = place->second;
  // Symmetric: at least `wins` of one side is at most most - wins of the other.
  size_t losses = most - wins;
  return losses < tails.size() ? tails[losses] : 1 - tails[wins - 1];
}

static double p_sign(const std::vector<double> &logs, double margin)
{
  size_t above = std::count_if(logs.begin(), logs.end(), [=](double log) { return log > margin; });
  return gate::sign_tail(logs.size(), above);
}

static double p_ranks(const std::vector<double> &logs, const std::vector<bool> &second,
                      double margin)
{
  std::vector<double> groups[2];
  for (size_t i = 0; i < logs.size(); i++)
    groups[second[i]].push_back(second[i] ? logs[i] - margin : margin - logs[i]);
  size_t wins = 0;
  for (double low : groups[0])
    for (double high : groups[1])
      wins += high > low;
  return mann_whitney_tail(groups[1].size(), groups[0].size(), wins);
}

double p_slower(Design design, const std::vector<double> &logs, const std::vector<bool> &second,
                double tolerance)
{
  double margin = std::log1p(tolerance);
  if (design == Design::Sign)
    return p_sign(logs, margin);
  if (design == Design::Ranks)
    return p_ranks(logs, second, margin);
  return gate::Pairs(logs, second).p_above(margin);
}

} // namespace power
