// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/statistics/change_points.h"

#include <cmath>
#include <random>

#include "tools/gate/testing/test_results.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;

static std::vector<double> steps(uint64_t seed, const std::vector<std::pair<size_t, double>> &parts)
{
  Noise noise(seed);
  std::vector<double> values;
  for (auto [count, level] : parts)
    for (size_t i = 0; i < count; i++)
      values.push_back(level + noise());
  return values;
}

TEST(changes_finds_a_step_and_where)
{
  Levels levels = find_levels(steps(1, {{40, 10}, {60, 13}}), .01, 1);
  expect_eq(levels.changes.size(), 1u);
  const Change &change = levels.changes[0];
  expect(std::abs(static_cast<double>(change.first) - 40) <= 1, fmt::format("{}", change.first));
  expect(change.earliest <= 40 && 40 <= change.latest && change.latest - change.earliest < 12,
         fmt::format("{} to {}", change.earliest, change.latest));
  expect_near(levels.segments.at(0).center, 10, .5);
  expect_near(levels.segments.at(1).center, 13, .5);
}

TEST(changes_input_48_a_step_does_not_widen_the_noise_after_it)
{
  Levels levels = find_levels(steps(2, {{30, 0}, {30, 50}}), .01, 1);
  expect_eq(levels.segments.size(), 2u);
  for (const Segment &segment : levels.segments)
    expect(segment.spread > .5 && segment.spread < 1.6, fmt::format("{}", segment.spread));
}

TEST(changes_input_47_a_spike_is_an_outlier)
{
  for (uint64_t seed = 0; seed < 20; seed++) {
    std::vector<double> values = steps(seed, {{30, 0}});
    values[17] = 100;
    Levels levels = find_levels(values, .01, 1);
    expect(levels.changes.empty(), fmt::format("seed {}", seed));
    expect(std::find(levels.outliers.begin(), levels.outliers.end(), 17u) != levels.outliers.end());
  }
}

TEST(changes_to_a_level_without_spread)
{
  for (uint64_t seed = 0; seed < 10; seed++)
    for (auto [noisy, equal] : {std::pair(10, 20), {12, 12}, {15, 15}}) {
      std::vector<double> values = steps(seed, {{noisy, 100}});
      values.resize(noisy + equal, 120);
      double p = change_p_value(values, .01, 1);
      expect(p <= .01,
             fmt::format("{} points, then {} equal ones, seed {}: p={}", noisy, equal, seed, p));
    }
}

TEST(changes_of_rounded_figures_are_no_more_than_promised)
{
  // Runs that are alike stay at one figure for long; 200 series, of which more than 7 have a
  // probability of 0.1 % at a chance of 1 %.
  Noise noise(6);
  size_t alarms = 0;
  for (int series = 0; series < 200; series++) {
    double state = noise();
    std::vector<double> values;
    for (int i = 0; i < 30; i++) {
      state = 0.9 * state + std::sqrt(1 - 0.9 * 0.9) * noise();
      values.push_back(std::round(2 * state));
    }
    alarms += change_p_value(values, .01, series) <= .01;
  }
  expect(alarms <= 7, fmt::format("{} false alarms", alarms));
}

TEST(changes_up_and_back)
{
  Levels levels = find_levels(steps(3, {{40, 0}, {25, 6}, {40, 0}}), .01, 1);
  expect_eq(levels.changes.size(), 2u);
  expect_near(levels.changes[0].first, 40, 1);
  expect_near(levels.changes[1].first, 65, 1);
}

TEST(changes_of_few_or_equal_points_are_none)
{
  expect(find_levels({}, .01, 1).segments.empty());
  expect_eq(find_levels({1, 2, 30, 40, 50}, .01, 1).segments.size(), 1u);
  expect_eq(change_p_value({1, 1, 1, 9, 9}, .01, 1), 1.0);
  // Three and three of two values: one order in ten looks like this.
  expect(change_p_value({1, 1, 1, 2, 2, 2}, .01, 1) > .05);
  std::vector<double> equal(50, 7.0);
  expect_eq(change_p_value(equal, .01, 1), 1.0);
  equal.resize(100, 8.0); // an exact metric that changed
  expect_eq(find_levels(equal, .01, 1).changes.size(), 1u);
  expect_eq(find_levels(equal, .01, 1).changes.at(0).first, 50u);
}

TEST(changes_do_not_depend_on_scale_and_sign)
{
  std::vector<double> values = steps(4, {{30, 0}, {30, 1.5}}), other;
  for (double value : values)
    other.push_back(1000 - 7 * value);
  expect_eq(change_p_value(values, .01, 1), change_p_value(other, .01, 1));
}

TEST(changes_are_no_more_than_promised_where_nothing_changed)
{
  // 300 series each; at a chance of 1 % more than 9 have a probability of 0.1 %.
  for (double rho : {0.0, 0.5}) {
    Noise noise(5);
    size_t alarms = 0;
    for (int series = 0; series < 300; series++) {
      double state = noise();
      std::vector<double> values;
      for (int i = 0; i < 60; i++) {
        state = rho * state + std::sqrt(1 - rho * rho) * noise();
        values.push_back(state + (i % 19 == 7 ? 12 : 0));
      }
      alarms += change_p_value(values, .01, series) <= .01;
    }
    expect(alarms <= 9, fmt::format("{} false alarms at rho {}", alarms, rho));
  }
}
