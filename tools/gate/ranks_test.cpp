// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/ranks.h"

#include <algorithm>
#include <numeric>

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;

TEST(ranks_tail_known_values)
{
  // One split of C(n, n / 2) wins every comparison.
  expect_near(mann_whitney_tail(5, 5, 25), 1.0 / 252, 1e-15);
  expect_near(mann_whitney_tail(10, 10, 100), 1.0 / 184756, 1e-18);
  expect_eq(mann_whitney_tail(5, 5, 0), 1.0);
  expect_eq(mann_whitney_tail(5, 5, 26), 0.0);
  // From the tables of the U test: at 5 % one-sided U <= 27 for 10 and 10, U <= 4 for 5 and 5.
  expect(mann_whitney_tail(10, 10, 100 - 27) <= .05 && mann_whitney_tail(10, 10, 100 - 28) > .05);
  expect(mann_whitney_tail(5, 5, 25 - 4) <= .05 && mann_whitney_tail(5, 5, 25 - 5) > .05);
  expect_near(mann_whitney_tail(3, 4, 6), 1 - mann_whitney_tail(3, 4, 7), 1e-12);
}

// All splits of n values, counted one by one.
static double counted_tail(size_t high, size_t low, size_t wins)
{
  std::vector<char> chosen(high + low, 0);
  std::fill(chosen.end() - high, chosen.end(), 1);
  size_t all = 0, hits = 0;
  do {
    size_t lower = 0, u = 0;
    for (char each : chosen)
      each ? u += lower : lower++;
    all++;
    hits += u >= wins;
  } while (std::next_permutation(chosen.begin(), chosen.end()));
  return static_cast<double>(hits) / all;
}

TEST(ranks_tail_is_what_counting_all_splits_gives)
{
  for (auto [high, low] : {std::pair<size_t, size_t>{1, 1}, {2, 3}, {4, 4}, {6, 5}, {7, 8}})
    for (size_t wins = 0; wins <= high * low; wins++)
      expect_near(mann_whitney_tail(high, low, wins), counted_tail(high, low, wins), 1e-12);
}

TEST(ranks_exact_and_approximate_tails_meet)
{
  for (size_t sigmas : {0, 1, 2, 3, 4}) {
    size_t exact = 250 * 250 / 2 + sigmas * 1616; // sd of U: 1616.3
    size_t approximate = 251 * 251 / 2 + sigmas * 1626;
    double a = mann_whitney_tail(250, 250, exact), b = mann_whitney_tail(251, 251, approximate);
    expect(b >= .97 * a && b <= 1.1 * a, fmt::format("{} and {}", a, b));
  }
}

TEST(ranks_bound_is_the_last_that_holds_the_level)
{
  for (double alpha : {.05, .01, 3.3e-4, 1e-5})
    for (auto [high, low] : {std::pair<size_t, size_t>{5, 5}, {10, 10}, {15, 14}, {60, 60}}) {
      size_t k = order_of_cross_bound(high, low, alpha), most = high * low;
      expect(k == 0 || mann_whitney_tail(high, low, most - k + 1) <= alpha);
      expect(mann_whitney_tail(high, low, most - k) > alpha);
    }
  expect_eq(order_of_cross_bound(0, 5, .01), 0u);
}

TEST(ranks_fewest_pairs_known_values)
{
  expect_eq(fewest_pairs(.01), 10u);
  expect_eq(fewest_pairs(.01 / 20), 14u);
  expect_eq(fewest_pairs(.01 / 100), 16u);
  expect_eq(fewest_pairs(.01 / 500), 20u);
}

TEST(ranks_cross_means_cancel_the_position)
{
  // A change of 3 and a position worth 100: the position is in every value and in no mean.
  std::vector<double> means = cross_means({103, -97, 103, -97}, {true, false, true, false});
  expect_eq(means.size(), 4u);
  for (double mean : means)
    expect_eq(mean, 3.0);
  expect(cross_means({1, 2}, {true, true}).empty());
}
