// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "tools/lib/distributions.h"

namespace gate
{

double quantile(std::vector<double> values, double q)
{
  if (values.empty())
    return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  double place = q * (values.size() - 1);
  size_t below = static_cast<size_t>(place);
  size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - below) * (values[above] - values[below]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

std::vector<double> finite(const std::vector<double> &values)
{
  std::vector<double> kept;
  for (double value : values)
    if (std::isfinite(value))
      kept.push_back(value);
  return kept;
}

std::optional<double> finite(double value)
{
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

double robust_sigma(const std::vector<double> &values)
{
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 1.349;
}

static double binomial_tail(size_t n, size_t hits)
{
  // Symmetric: at least `hits` of one side is at most n - hits of the other.
  return distributions::binomial_cdf(n, 0.5, n - hits);
}

double sign_tail(size_t n, size_t hits)
{
  constexpr size_t most_kept = 2000;
  if (hits == 0)
    return 1;
  if (hits > n)
    return 0;
  if (n > most_kept)
    return binomial_tail(n, hits);
  // Rows of one file mostly have the same n, and ask for each of its tails many times.
  static thread_local std::map<size_t, std::vector<double>> kept;
  std::vector<double> &tails = kept[n];
  if (tails.empty())
    for (size_t each = 1; each <= n; each++)
      tails.push_back(binomial_tail(n, each));
  return tails[hits - 1];
}

size_t order_of_bound(size_t n, double alpha)
{
  size_t below = 0, above = n / 2 + 1; // the tail of below is small enough, that of above is not
  while (below + 1 < above) {
    size_t k = (below + above) / 2;
    (sign_tail(n, n - k + 1) <= alpha ? below : above) = k;
  }
  return below;
}

size_t fewest_units(double alpha)
{
  size_t n = 1;
  while (std::ldexp(1.0, -static_cast<int>(n)) > alpha && n < 1000)
    n++;
  return n;
}

double lower_bound(std::vector<double> values, double alpha)
{
  size_t k = order_of_bound(values.size(), alpha);
  if (k == 0)
    return -infinity;
  std::nth_element(values.begin(), values.begin() + (k - 1), values.end());
  return values[k - 1];
}

double upper_bound(std::vector<double> values, double alpha)
{
  for (double &value : values)
    value = -value;
  return -lower_bound(std::move(values), alpha);
}

std::vector<Holm> holm(const std::vector<double> &p, double alpha)
{
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<Holm> verdicts(p.size());
  bool open = true;
  double level = alpha;
  for (size_t rank = 0; rank < order.size(); rank++) {
    if (open)
      level = alpha / (p.size() - rank);
    open = open && p[order[rank]] <= level;
    verdicts[order[rank]] = {open, level};
  }
  return verdicts;
}

} // namespace gate
