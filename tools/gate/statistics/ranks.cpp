// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/statistics/ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>

#include "tools/gate/statistics/statistics.h"
#include "tools/lib/distributions.h"

namespace gate
{

static constexpr size_t most_exact = 300;
static constexpr int highest_score = 8;
static constexpr double clip = 0.125; // of the sample, from the middle

std::vector<int> rank_scores(size_t n)
{
  std::vector<int> scores(n);
  double width = std::max(1.0, clip * n);
  for (size_t i = 0; i < n; i++) {
    double place = i + 0.5 - n / 2.0;
    scores[i] = std::lround(highest_score * std::clamp(place / width, -1.0, 1.0));
  }
  return scores;
}

// P(sum >= s) for all sums, from the lowest one that there can be: how many of the choices of `own`
// ranks have which sum, counted rank by rank.
static std::vector<double> count_tails(size_t own, size_t all)
{
  size_t sums = 2 * highest_score * own + 1;
  std::vector<std::vector<double>> ways(own + 1, std::vector<double>(sums, 0));
  ways[0][0] = 1;
  size_t seen = 0;
  for (int score : rank_scores(all)) {
    size_t shift = score + highest_score;
    for (size_t chosen = std::min(own, ++seen); chosen >= 1; chosen--)
      for (size_t sum = sums - 1; sum + 1 > shift; sum--)
        ways[chosen][sum] += ways[chosen - 1][sum - shift];
  }
  std::vector<double> tails = std::move(ways[own]);
  double total = std::accumulate(tails.begin(), tails.end(), 0.0), above = 0;
  for (size_t sum = sums; sum-- > 0;) {
    above += tails[sum];
    tails[sum] = std::min(1.0, above / total);
  }
  return tails;
}

static double approximate_tail(size_t own, size_t all, long sum)
{
  std::vector<int> scores = rank_scores(all);
  double squares = 0;
  for (int score : scores)
    squares += score * score;
  // The scores add up to 0.
  double variance = squares * own * (all - own) / (static_cast<double>(all) * (all - 1));
  return distributions::normal_cdf((0.5 - sum) / std::sqrt(variance));
}

double score_tail(size_t own, size_t all, long sum)
{
  if (own == 0 || own == all)
    return 1;
  if (all > most_exact)
    return approximate_tail(own, all, sum);
  static std::mutex lock;
  static std::map<std::pair<size_t, size_t>, std::vector<double>> known;
  std::lock_guard held(lock);
  auto [place, is_new] = known.try_emplace({own, all});
  if (is_new)
    place->second = count_tails(own, all);
  long shifted = sum + static_cast<long>(highest_score * own);
  if (shifted < 0)
    return 1;
  return static_cast<size_t>(shifted) < place->second.size() ? place->second[shifted] : 0;
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

Pairs::Pairs(const std::vector<double> &logs, const std::vector<bool> &second)
{
  for (size_t i = 0; i < logs.size(); i++)
    (second[i] ? x_high : x_low).push_back(second[i] ? logs[i] : -logs[i]);
  x_steps.reserve(x_high.size() * x_low.size());
  for (double high : x_high)
    for (double low : x_low)
      x_steps.push_back((high - low) / 2);
  std::sort(x_steps.begin(), x_steps.end());
  x_steps.erase(std::unique(x_steps.begin(), x_steps.end()), x_steps.end());
}

// own against other, moved towards each other by the margin.
static double p_of(const std::vector<double> &own, const std::vector<double> &other, double margin)
{
  std::vector<std::pair<double, bool>> ranked;
  for (double value : own)
    ranked.push_back({value - margin, false}); // of equal values own's comes first, below
  for (double value : other)
    ranked.push_back({value + margin, true});
  std::sort(ranked.begin(), ranked.end());
  std::vector<int> scores = rank_scores(ranked.size());
  long sum = 0;
  for (size_t i = 0; i < ranked.size(); i++)
    sum += ranked[i].second ? 0 : scores[i];
  return score_tail(own.size(), ranked.size(), sum);
}

double Pairs::p_above(double margin) const { return p_of(x_high, x_low, margin); }
double Pairs::p_below(double margin) const { return p_of(x_low, x_high, -margin); }

// How many of the steps, from one end, the test rejects on the near side of: bisection, since the
// sum of scores falls from step to step.
template <class Rejects> size_t Pairs::last_rejected(Rejects rejects) const
{
  size_t below = 0, above = x_steps.size() + 1;
  while (below + 1 < above) {
    size_t k = (below + above) / 2;
    (rejects(k - 1) ? below : above) = k;
  }
  return below;
}

double Pairs::lower(double alpha) const
{
  size_t k = last_rejected([&](size_t i) {
    double before = i == 0 ? x_steps[0] - 1 : x_steps[i - 1];
    return p_above((before + x_steps[i]) / 2) <= alpha;
  });
  return k == 0 ? -infinity : x_steps[k - 1];
}

double Pairs::upper(double alpha) const
{
  size_t last = x_steps.size() - 1;
  size_t k = last_rejected([&](size_t i) {
    double after = i == 0 ? x_steps[last] + 1 : x_steps[last - i + 1];
    return p_below((after + x_steps[last - i]) / 2) <= alpha;
  });
  return k == 0 ? infinity : x_steps[x_steps.size() - k];
}

double Pairs::estimate() const
{
  if (x_steps.empty())
    return std::numeric_limits<double>::quiet_NaN();
  double low = lower(0.5), high = upper(0.5);
  if (std::isinf(low) || std::isinf(high))
    return x_steps[x_steps.size() / 2];
  return (low + high) / 2;
}

} // namespace gate
