// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/statistics/ranks.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;

TEST(ranks_scores_are_symmetric_and_clipped)
{
  for (size_t n : {1, 2, 3, 10, 41, 200}) {
    std::vector<int> scores = rank_scores(n);
    expect_eq(std::accumulate(scores.begin(), scores.end(), 0), 0);
    expect(std::is_sorted(scores.begin(), scores.end()));
    // More than two thirds of the ranks count as much as the outermost.
    size_t clipped = std::count(scores.begin(), scores.end(), scores.back());
    expect(n < 10 || 3 * clipped > n, fmt::format("{} of {}", clipped, n));
  }
}

// All choices of own out of all, counted one by one.
static double counted_tail(size_t own, size_t all, long sum)
{
  std::vector<int> scores = rank_scores(all);
  std::vector<char> chosen(all, 0);
  std::fill(chosen.end() - own, chosen.end(), 1);
  size_t choices = 0, hits = 0;
  do {
    long own_sum = 0;
    for (size_t i = 0; i < all; i++)
      own_sum += chosen[i] ? scores[i] : 0;
    choices++;
    hits += own_sum >= sum;
  } while (std::next_permutation(chosen.begin(), chosen.end()));
  return static_cast<double>(hits) / choices;
}

TEST(ranks_tail_is_what_counting_all_choices_gives)
{
  for (auto [own, all] : {std::pair<size_t, size_t>{1, 2}, {2, 5}, {4, 8}, {6, 11}, {7, 15}})
    for (long sum = -60; sum <= 60; sum++)
      expect_near(score_tail(own, all, sum), counted_tail(own, all, sum), 1e-12);
}

TEST(ranks_tail_known_values)
{
  // One choice of C(n, n / 2) has the highest sum.
  auto highest = [](size_t n) {
    std::vector<int> scores = rank_scores(n);
    return std::accumulate(scores.begin() + n / 2, scores.end(), 0L);
  };
  expect_near(score_tail(5, 10, highest(10)), 1.0 / 252, 1e-15);
  expect_near(score_tail(10, 20, highest(20)), 1.0 / 184756, 1e-18);
  expect_eq(score_tail(10, 20, highest(20) + 1), 0.0);
  expect_eq(score_tail(10, 20, -1000), 1.0);
  expect_eq(score_tail(0, 20, 0), 1.0);
}

TEST(ranks_exact_and_approximate_tails_meet)
{
  double sigma = 0;
  for (int score : rank_scores(300))
    sigma += score * score;
  sigma = std::sqrt(sigma * 150 * 150 / (300.0 * 299));
  for (int sigmas = 0; sigmas <= 4; sigmas++) {
    double a = score_tail(150, 300, std::lround(sigmas * sigma));
    double b = score_tail(151, 302, std::lround(sigmas * sigma * std::sqrt(302 / 300.0)));
    // At four standard deviations the approximation is an eighth too large.
    expect(b >= .97 * a && b <= 1.15 * a, fmt::format("{} and {}", a, b));
  }
}

TEST(ranks_fewest_pairs_known_values)
{
  expect_eq(fewest_pairs(.01), 10u);
  expect_eq(fewest_pairs(.01 / 20), 14u);
  expect_eq(fewest_pairs(.01 / 100), 16u);
  expect_eq(fewest_pairs(.01 / 500), 20u);
}

static std::vector<bool> alternating(size_t n)
{
  std::vector<bool> second(n);
  for (size_t i = 0; i < n; i += 2)
    second[i] = true;
  return second;
}

static std::vector<double> normal_values(size_t n, double center, uint64_t seed)
{
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(center, .01);
  std::vector<double> values;
  for (size_t i = 0; i < n; i++)
    values.push_back(normal(random));
  return values;
}

TEST(ranks_bounds_are_where_the_test_changes_its_mind)
{
  for (size_t n : {10, 21, 40}) {
    Pairs pairs(normal_values(n, .02, n), alternating(n));
    for (double alpha : {.2, .01, .001}) {
      double low = pairs.lower(alpha), high = pairs.upper(alpha);
      if (n >= fewest_pairs(alpha)) {
        expect(pairs.p_above(low - 1e-9) <= alpha && pairs.p_above(low + 1e-9) > alpha);
        expect(pairs.p_below(high + 1e-9) <= alpha && pairs.p_below(high - 1e-9) > alpha);
      }
      expect(low < pairs.estimate() && pairs.estimate() < high);
    }
  }
}

TEST(ranks_position_moves_nothing)
{
  std::vector<double> values = normal_values(40, .03, 1), moved = values;
  std::vector<bool> second = alternating(40);
  for (size_t i = 0; i < moved.size(); i++)
    moved[i] += second[i] ? -.25 : .25;
  Pairs plain(values, second), shifted(moved, second);
  expect_near(plain.p_above(.01), shifted.p_above(.01), 0);
  expect_near(plain.estimate(), shifted.estimate(), 1e-12);
  expect_near(plain.lower(.001), shifted.lower(.001), 1e-12);
}

TEST(ranks_swapping_the_sides_swaps_the_sign)
{
  std::vector<double> values = normal_values(30, .01, 2), negative;
  std::vector<bool> second = alternating(30), first = second;
  for (double value : values)
    negative.push_back(-value);
  first.flip();
  Pairs ab(values, second), ba(negative, first);
  expect_eq(ab.p_above(.005), ba.p_below(-.005));
  expect_near(ab.estimate(), -ba.estimate(), 1e-15);
  expect_near(ab.lower(.01), -ba.upper(.01), 1e-15);
}

TEST(ranks_order_of_units_does_not_matter)
{
  std::vector<double> values = normal_values(24, .01, 3);
  std::vector<bool> second = alternating(24);
  Pairs pairs(values, second);
  std::reverse(values.begin(), values.end());
  std::reverse(second.begin(), second.end());
  Pairs reversed(values, second);
  expect_eq(pairs.p_above(0), reversed.p_above(0));
  expect_eq(pairs.lower(.01), reversed.lower(.01));
}

TEST(ranks_input_4_ties_speak_for_nobody)
{
  Pairs same(std::vector<double>(20, 0.0), alternating(20));
  expect(same.p_above(0) > .5 && same.p_below(0) > .5);
  expect_eq(same.estimate(), 0.0);
  Pairs constant(std::vector<double>(20, .3), alternating(20));
  expect_near(constant.p_above(.05), 1.0 / 184756, 1e-12);
  expect_eq(constant.lower(.001), .3);
  expect_eq(constant.upper(.001), .3);
  expect(constant.p_above(.3) > .5);
}

TEST(ranks_too_few_pairs_bound_nothing)
{
  for (size_t n : {0, 1, 2, 8}) {
    Pairs pairs(std::vector<double>(n, .3), alternating(n));
    expect_eq(pairs.lower(.001), -std::numeric_limits<double>::infinity());
    expect_eq(pairs.upper(.001), std::numeric_limits<double>::infinity());
    expect(pairs.p_above(0) > .001);
  }
}
