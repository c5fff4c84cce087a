// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/calibrate/blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tools/gate/statistics/change_points.h"
#include "tools/gate/statistics/statistics.h"

namespace gate
{

using Values = std::vector<double>;

static Values ranks_of(const Values &values)
{
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return values[a] < values[b]; });
  Values ranks(values.size());
  for (size_t i = 0; i < order.size(); i++)
    ranks[order[i]] = static_cast<double>(i + 1);
  return ranks;
}

// The largest standardised rank sum, and where.
static std::pair<double, size_t> scan(const Values &values)
{
  Values ranks = ranks_of(values);
  double n = static_cast<double>(values.size()), sum = 0, best = 0;
  size_t place = 0;
  for (size_t k = 1; k + shortest_segment <= values.size(); k++) {
    sum += ranks[k - 1] - (n + 1) / 2;
    double points = static_cast<double>(k);
    double each = std::abs(sum) / std::sqrt(points * (n - points) * (n + 1) / 12);
    if (k >= shortest_segment && each > best) {
      best = each;
      place = k;
    }
  }
  return {best, place};
}

static Values without_step(Values values, size_t place)
{
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(place);
  double before = median({values.begin(), middle}), after = median({middle, values.end()});
  for (size_t i = 0; i < values.size(); i++)
    values[i] -= i < place ? before : after;
  return values;
}

static double lag_1(const Values &values)
{
  double squares = 0, products = 0;
  for (size_t i = 0; i < values.size(); i++) {
    squares += values[i] * values[i];
    products += i ? values[i] * values[i - 1] : 0;
  }
  return squares > 0 ? products / squares : 0;
}

// Carlstein's length for AR(1) noise.
static size_t block_length(double rho, size_t n)
{
  rho = std::clamp(rho, 0.0, 0.9);
  double length = std::pow(2 * rho / (1 - rho * rho), 2.0 / 3) * std::cbrt(n);
  return std::clamp<size_t>(static_cast<size_t>(std::ceil(length)), 1, n / 3);
}

static Values permuted(const Values &values, size_t length, std::mt19937_64 &random)
{
  std::vector<size_t> begins;
  for (size_t begin = 0; begin < values.size(); begin += length)
    begins.push_back(begin);
  std::shuffle(begins.begin(), begins.end(), random);
  Values out;
  for (size_t begin : begins)
    for (size_t i = begin; i < std::min(begin + length, values.size()); i++)
      out.push_back(values[i]);
  return out;
}

double block_p_value(const Values &values, uint64_t seed)
{
  constexpr size_t most = 1000, enough = 20;
  auto [statistic, place] = scan(values);
  Values residuals = without_step(values, place);
  size_t length = block_length(lag_1(residuals), values.size());
  std::mt19937_64 random(seed);
  size_t extreme = 0;
  for (size_t drawn = 1; drawn <= most; drawn++) {
    extreme += scan(permuted(residuals, length, random)).first >= statistic;
    if (extreme == enough)
      return static_cast<double>(enough) / static_cast<double>(drawn);
  }
  return (static_cast<double>(extreme) + 1) / (most + 1);
}

} // namespace gate
