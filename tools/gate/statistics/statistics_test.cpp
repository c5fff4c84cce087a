// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/statistics/statistics.h"

#include <algorithm>
#include <limits>

#include "tools/gate/statistics/units.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;

TEST(statistics_order_of_bound_known_values)
{
  struct Line {
    double alpha;
    size_t k[7];
  };
  const size_t n[7] = {12, 20, 30, 50, 100, 200, 400};
  const Line lines[] = {
      {.01, {2, 5, 9, 17, 38, 84, 177}},
      {.001, {1, 3, 7, 14, 35, 78, 169}},
      {.00033, {1, 3, 6, 13, 33, 76, 166}},
      {.0001, {0, 2, 5, 12, 32, 74, 163}},
  };
  for (const Line &line : lines)
    for (int i = 0; i < 7; i++)
      expect_eq(order_of_bound(n[i], line.alpha), line.k[i]);
}

TEST(statistics_fewest_units_known_values)
{
  expect_eq(fewest_units(.01), 7u);
  expect_eq(fewest_units(.001), 10u);
  expect_eq(fewest_units(.00033), 12u);
  expect_eq(fewest_units(.0001), 14u);
}

TEST(statistics_sign_tail_known_values)
{
  expect_eq(sign_tail(20, 0), 1.0);
  expect_eq(sign_tail(20, 21), 0.0);
  expect_near(sign_tail(20, 20), std::ldexp(1, -20), 1e-18);
  expect_near(sign_tail(5, 3), 0.5, 1e-12);
  expect_near(sign_tail(20, 16), 0.005908966, 1e-9);
  expect_near(sign_tail(2000, 1001), 0.5 - 0.5 * 0.0178390, 1e-6);
}

TEST(statistics_bounds_are_order_statistics)
{
  std::vector<double> values;
  for (int i = 20; i >= 1; i--)
    values.push_back(i);
  expect_eq(lower_bound(values, .01), 5.0);
  expect_eq(upper_bound(values, .01), 16.0);
  expect_eq(lower_bound({1, 2, 3}, .01), -std::numeric_limits<double>::infinity());
  expect_eq(upper_bound({}, .01), std::numeric_limits<double>::infinity());
}

TEST(statistics_input_4_identical_values)
{
  std::vector<double> same(20, 78.8);
  expect_eq(lower_bound(same, .001), 78.8);
  expect_eq(upper_bound(same, .001), 78.8);
  expect_eq(robust_sigma(same), 0.0);
}

TEST(statistics_quantiles)
{
  expect_eq(median({3, 1, 2}), 2.0);
  expect_eq(median({4, 1, 2, 3}), 2.5);
  expect_eq(quantile({1, 2, 3, 4, 5}, .25), 2.0);
  expect_eq(quantile({7}, .9), 7.0);
  expect(std::isnan(median({})));
}

TEST(statistics_holm_known_values)
{
  // The textbook's example: only the two smallest fall at 5 %.
  std::vector<Holm> verdicts = holm({.01, .04, .03, .005}, .05);
  bool wanted[] = {true, false, false, true};
  for (int i = 0; i < 4; i++)
    expect_eq(verdicts[i].rejected, wanted[i]);
  expect_near(verdicts[3].level, .0125, 1e-12);
  expect_near(verdicts[0].level, .05 / 3, 1e-12);
  expect_near(verdicts[2].level, .025, 1e-12);
  expect_near(verdicts[1].level, .025, 1e-12);
  expect(holm({}, .05).empty());
  for (const Holm &each : holm({.01, .01, .01}, .03))
    expect(each.rejected);
}

TEST(units_input_9_conversion)
{
  expect_eq(*conversion("us/op", "ns/op"), 1000.0);
  expect_eq(*conversion("M ops/s", "ops/s"), 1e6);
  expect_eq(*conversion("furlongs", "furlongs"), 1.0);
  expect(!conversion("furlongs", "ns/op"));
  expect(!conversion("ns/op", "M ops/s"));
  expect(!conversion("ns", "MiB"));
}

TEST(units_from_ns_per_op)
{
  expect_eq(*from_ns_per_op(50, "ns/op"), 50.0);
  expect_eq(*from_ns_per_op(50, "M ops/s"), 20.0);
  expect_eq(*from_ns_per_op(3e6, "ms"), 3.0);
  expect(!from_ns_per_op(50, "MiB"));
}
