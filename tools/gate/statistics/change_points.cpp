// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/statistics/change_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tools/gate/statistics/statistics.h"
#include "tools/lib/distributions.h"

namespace gate
{

using Values = std::vector<double>;

static constexpr double mad_to_sigma = 1.4826;
// Points that are further out tell nothing about how neighbours depend on each other.
static constexpr double outlier_sigmas = 4;

// Mean ranks, from 1.
static Values ranks_of(const Values &values)
{
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  Values ranks(values.size());
  for (size_t i = 0, end; i < order.size(); i = end) {
    for (end = i + 1; end < order.size() && values[order[end]] == values[order[i]];)
      end++;
    for (size_t j = i; j < end; j++)
      ranks[order[j]] = (i + 1 + end) / 2.0;
  }
  return ranks;
}

namespace
{

// Points [first, last) have another level than the rest.
struct Fit {
  double statistic = 0;
  size_t first = 0;
  size_t last = 0;
};

// One of the two questions that are asked of a series.
struct Scan {
  Fit (*best)(const Values &values);
  double share; // of the level
  // What removing the best fit takes from the lag-1 coefficient: on simulated AR(1) series of 20 to
  // 200 points its mean is rho * kept(n) - lost(n), to within 0.03.
  double (*kept)(double n);
  double (*lost)(double n);
};

} // namespace

// Sums of the first 0, 1, ... ranks, less what they would be by chance.
static Values rank_sums(const Values &values)
{
  Values sums = {0};
  double mean = (values.size() + 1) / 2.0;
  for (double rank : ranks_of(values))
    sums.push_back(sums.back() + rank - mean);
  return sums;
}

// Square of the statistic for k points whose ranks sum up to that much more than by chance.
static double squared(double sum, double k, double n)
{
  return sum * sum * 12 / (k * (n - k) * (n + 1));
}

static Fit best_split(const Values &values)
{
  Values sums = rank_sums(values);
  size_t n = values.size();
  Fit best = {.last = n};
  for (size_t k = shortest_segment; k + shortest_segment <= n; k++)
    if (double each = squared(sums[k], k, n); each > best.statistic)
      best = {each, k, n};
  return best;
}

static Fit best_stretch(const Values &values)
{
  // Quadratic in the places that are looked at: on long series only every so manieth is.
  constexpr size_t most_places = 300;
  Values sums = rank_sums(values);
  size_t n = values.size(), step = n / most_places + 1;
  size_t shortest = std::max(shortest_segment, step);
  Fit best;
  for (size_t first = shortest; first + 2 * shortest <= n; first += step)
    for (size_t last = first + shortest; last + shortest <= n; last += step)
      if (double each = squared(sums[last] - sums[first], last - first, n); each > best.statistic)
        best = {each, first, last};
  return best;
}

static constexpr Scan scans[] = {
    {best_split, 0.75, [](double n) { return 1 - 10 / (n + 5); },
     [](double n) { return 4 / (n + 6); }},
    {best_stretch, 0.25, [](double n) { return 1 - 13 / (n + 10); },
     [](double n) { return 8 / (n + 20); }},
};

static Values normal_scores(const Values &values)
{
  Values scores = ranks_of(values);
  for (double &score : scores)
    score = -distributions::normal_upper_quantile(score / (values.size() + 1));
  return scores;
}

static double robust_spread(const Values &values, double center)
{
  Values distances;
  for (double value : values)
    distances.push_back(std::abs(value - center));
  return mad_to_sigma * median(distances);
}

static Segment segment_of(const Values &values, size_t begin, size_t end)
{
  Values part(values.begin() + begin, values.begin() + end);
  double center = median(part);
  return {begin, end, center, robust_spread(part, center)};
}

// The values less the centre of their part.
static Values residuals_of(const Values &values, const Fit &fit)
{
  Values parts[2];
  auto part = [&](size_t i) { return i >= fit.first && i < fit.last; };
  for (size_t i = 0; i < values.size(); i++)
    parts[part(i)].push_back(values[i]);
  double centers[2] = {median(parts[0]), median(parts[1])};
  Values residuals = values;
  for (size_t i = 0; i < values.size(); i++)
    residuals[i] -= centers[part(i)];
  return residuals;
}

// Lag-1 autocorrelation of scores, over the pairs without an outlier among the residuals.
static double lag_1(const Values &scores, const Values &residuals)
{
  double limit = outlier_sigmas * robust_spread(residuals, 0), squares = 0, products = 0;
  size_t points = 0, pairs = 0;
  auto usable = [&](size_t i) { return std::abs(residuals[i]) <= limit; };
  for (size_t i = 0; i < scores.size(); i++) {
    if (!usable(i))
      continue;
    squares += scores[i] * scores[i];
    points++;
    if (i > 0 && usable(i - 1)) {
      products += scores[i] * scores[i - 1];
      pairs++;
    }
  }
  return pairs && squares > 0 ? (products / pairs) / (squares / points) : 0;
}

static double upper_rho(const Scan &scan, double lag, size_t n)
{
  constexpr double most = 0.97;
  double kept = scan.kept(n);
  double rho = std::clamp((lag + scan.lost(n)) / kept, 0.0, most);
  return std::min(most, rho + std::sqrt((1 - rho * rho) / n) / kept);
}

namespace
{

// Series like the given one, without any change of level.
class NullSeries {
public:
  // The values themselves in any order: without dependence, and the only null that is exact for a
  // handful of points or for figures that hardly vary.
  NullSeries(const Values &values, uint64_t seed) : x_random(seed), x_innovations(values) {}

  NullSeries(const Scan &scan, const Values &residuals, uint64_t seed)
      : x_random(seed), x_models_rho(true)
  {
    Values scores = normal_scores(residuals);
    x_rho = upper_rho(scan, lag_1(scores, residuals), scores.size());
    for (size_t i = 1; i < scores.size(); i++)
      x_innovations.push_back(scores[i] - x_rho * scores[i - 1]);
    double mean = std::accumulate(x_innovations.begin(), x_innovations.end(), 0.0) /
                  static_cast<double>(x_innovations.size());
    for (double &each : x_innovations)
      each -= mean;
  }

  const Values &next()
  {
    shuffle();
    if (!x_models_rho)
      return x_innovations;
    x_series.assign(1, start());
    for (double innovation : x_innovations)
      x_series.push_back(x_rho * x_series.back() + innovation);
    return x_series;
  }

private:
  // The first point follows others that nobody saw.
  double start()
  {
    constexpr int unseen = 30;
    double value = 0;
    for (int i = 0; i < unseen; i++)
      value = x_rho * value + x_innovations[x_random() % x_innovations.size()];
    return value;
  }

  // Written out, since the standard library's shuffle differs between libraries.
  void shuffle()
  {
    for (size_t i = x_innovations.size(); i > 1; i--)
      std::swap(x_innovations[i - 1], x_innovations[x_random() % i]);
  }

  std::mt19937_64 x_random;
  bool x_models_rho = false;
  double x_rho = 0;
  Values x_innovations;
  Values x_series;
};

} // namespace

static bool is_constant(const Values &values)
{
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

// Sequential Monte Carlo (Besag and Clifford 1991): stops once that many series were as extreme, so
// p-values are exact where they matter and cheap where they do not.
static double p_value(const Scan &scan, double statistic, NullSeries null, double level)
{
  constexpr size_t enough = 20;
  size_t most = static_cast<size_t>(std::clamp(10 / level, 1000.0, 100000.0));
  size_t extreme = 0;
  for (size_t drawn = 1; drawn <= most; drawn++) {
    extreme += scan.best(null.next()).statistic >= statistic * (1 - 1e-9);
    if (extreme == enough)
      return static_cast<double>(enough) / static_cast<double>(drawn);
  }
  return (static_cast<double>(extreme) + 1) / (static_cast<double>(most) + 1);
}

// A level whose points are all equal, beside one whose points all differ, was not made by the same
// noise, however much that makes neighbours alike. Of rounded figures some of either are equal.
static bool is_other_noise(const Values &values, const Fit &fit)
{
  constexpr size_t enough = 8;
  Values parts[2];
  for (size_t i = 0; i < values.size(); i++)
    parts[i >= fit.first && i < fit.last].push_back(values[i]);
  auto all_differ = [](Values part) {
    std::sort(part.begin(), part.end());
    return part.size() >= enough && std::adjacent_find(part.begin(), part.end()) == part.end();
  };
  return (is_constant(parts[0]) && all_differ(parts[1])) ||
         (is_constant(parts[1]) && all_differ(parts[0]));
}

static double p_value(const Scan &scan, const Fit &fit, const Values &values, double level,
                      uint64_t seed)
{
  double p = p_value(scan, fit.statistic, NullSeries(values, seed), level);
  if (p > level || is_other_noise(values, fit))
    return p;
  NullSeries dependent(scan, residuals_of(values, fit), seed);
  return std::max(p, p_value(scan, fit.statistic, std::move(dependent), level));
}

namespace
{

struct Found {
  double p = 1;
  Fit fit;
};

} // namespace

static Found look(const Values &values, double level, uint64_t seed)
{
  Found found;
  if (values.size() < 2 * shortest_segment || is_constant(values))
    return found;
  for (const Scan &scan : scans) {
    Fit fit = scan.best(values);
    double p = fit.last ? p_value(scan, fit, values, level * scan.share, seed) / scan.share : 1;
    if (p < found.p)
      found = {p, fit};
  }
  return found;
}

double change_p_value(const Values &values, double level, uint64_t seed)
{
  return look(values, level, seed).p;
}

// A part gets its share of level by its points, so that the shares of disjoint ones add up.
static void split_up(const Values &values, size_t begin, size_t end, double per_point,
                     uint64_t seed, std::vector<Change> &changes)
{
  Values part(values.begin() + begin, values.begin() + end);
  double level = per_point * part.size();
  Found found = look(part, level, seed);
  if (found.p > level)
    return;
  size_t first = begin + found.fit.first, last = begin + found.fit.last;
  split_up(values, begin, first, per_point, seed + 1, changes);
  changes.push_back({.first = first, .p = found.p});
  split_up(values, first, last, per_point, seed + 2, changes);
  if (last == end)
    return;
  changes.push_back({.first = last, .p = found.p});
  split_up(values, last, end, per_point, seed + 3, changes);
}

// Where the split of series with the same step and fresh noise is found, against where it is. The
// noise is the residuals in another order, as dependent as they are. begin, end: of the two
// segments that meet at the change.
static void locate(const Values &values, size_t begin, size_t end, uint64_t seed, Change &change)
{
  constexpr size_t draws = 400;
  Values part(values.begin() + begin, values.begin() + end);
  size_t first = change.first - begin;
  Values residuals = residuals_of(part, {.first = first, .last = part.size()}), sorted = residuals;
  std::sort(sorted.begin(), sorted.end());
  NullSeries null(scans[0], residuals, seed);
  Values errors;
  for (size_t i = 0; i < draws; i++) {
    Values ranks = ranks_of(null.next()), drawn(part.size());
    for (size_t j = 0; j < part.size(); j++)
      drawn[j] = part[j] - residuals[j] + sorted[static_cast<size_t>(ranks[j]) - 1];
    errors.push_back(static_cast<double>(best_split(drawn).first) - static_cast<double>(first));
  }
  auto place = [&](double error) {
    double most = static_cast<double>(part.size() - 1);
    return begin + std::lround(std::clamp(static_cast<double>(first) - error, 1.0, most));
  };
  change.earliest = std::min<size_t>(place(quantile(errors, .975)), change.first);
  change.latest = std::max<size_t>(place(quantile(errors, .025)), change.first);
}

static Levels with_changes(const Values &values, std::vector<Change> changes)
{
  Levels levels;
  size_t begin = 0;
  auto add = [&](size_t end) {
    if (end > begin)
      levels.segments.push_back(segment_of(values, begin, end));
    begin = end;
  };
  for (const Change &change : changes)
    add(change.first);
  add(values.size());
  for (const Segment &segment : levels.segments)
    for (size_t i = segment.begin; i < segment.end; i++)
      if (std::abs(values[i] - segment.center) > outlier_sigmas * segment.spread &&
          segment.spread > 0)
        levels.outliers.push_back(i);
  levels.changes = std::move(changes);
  return levels;
}

Levels find_levels(const Values &values, double level, uint64_t seed)
{
  std::vector<Change> changes;
  if (!values.empty())
    split_up(values, 0, values.size(), level / static_cast<double>(values.size()), seed, changes);
  Levels levels = with_changes(values, std::move(changes));
  for (size_t i = 0; i < levels.changes.size(); i++)
    locate(values, levels.segments[i].begin, levels.segments[i + 1].end, seed, levels.changes[i]);
  return levels;
}

Levels one_level(const Values &values) { return with_changes(values, {}); }

} // namespace gate
