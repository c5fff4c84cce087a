// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The tail of epochs: its bounds, what it finds that the quartile cannot see, and what it does not
// make up.
#include "tools/gate/judge/tail.h"

#include <algorithm>
#include <cmath>

#include "tools/gate/statistics/statistics.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;

using Loads = std::vector<std::vector<double>>;

namespace
{

// Epochs of about 100 ns/op. slow: the share of them that takes longer by that factor.
class Epochs {
public:
  explicit Epochs(uint64_t seed) : x_random(seed) {}

  Loads loads(size_t count, double slow, double factor)
  {
    Loads loads(count);
    for (std::vector<double> &load : loads)
      for (int epoch = 0; epoch < 10; epoch++) {
        double time = 100 + 2 * uniform();
        load.push_back(uniform() < slow ? time * factor : time);
      }
    return loads;
  }

  double uniform() { return static_cast<double>(x_random() >> 11) / 0x1p53; }

private:
  std::mt19937_64 x_random;
};

} // namespace

static const Row time_row = {.name = "b", .metric = "latency", .unit = "ns/op", .method = "ab"};

static Row judged(const Loads &base, const Loads &comp, const Row &row = time_row)
{
  std::vector<Candidate> rows;
  rows.push_back(tail_row(row, base, comp, {}).value());
  judge(rows, .01, .01);
  return rows[0].row;
}

TEST(tail_bounds_known_values)
{
  std::vector<double> sorted;
  for (int i = 1; i <= 20; i++)
    sorted.push_back(i);
  // Of the median: those of statistics.h.
  for (double alpha : {.2, .05, .01, .0001}) {
    expect_eq(quantile_lower(sorted, .5, alpha), lower_bound(sorted, alpha));
    expect_eq(quantile_upper(sorted, .5, alpha), upper_bound(sorted, alpha));
  }
  // All 20 lie below the 0.9 quantile with probability 0.9^20 = 0.122.
  expect_eq(quantile_upper(sorted, .9, .13), 20.0);
  expect(std::isinf(quantile_upper(sorted, .9, .12)));
  expect(std::isinf(quantile_lower(sorted, .01, .1)));
}

// Far out in the tail: 20 values all lie above the 0.9 quantile with probability 1e-20, 19 of them
// with 1.8e-18.
TEST(tail_bounds_hold_beyond_the_precision_of_one)
{
  std::vector<double> sorted;
  for (int i = 1; i <= 20; i++)
    sorted.push_back(i);
  expect(std::isinf(quantile_lower(sorted, .9, 5e-21)));
  expect_eq(quantile_lower(sorted, .9, 1e-18), 1.0);
  expect_eq(quantile_lower(sorted, .9, 3e-18), 2.0);
}

TEST(tail_bounds_fail_no_more_often_than_promised)
{
  Epochs epochs(1);
  size_t low = 0, high = 0;
  constexpr int rounds = 4000;
  for (int round = 0; round < rounds; round++) {
    std::vector<double> values;
    for (int i = 0; i < 40; i++)
      values.push_back(epochs.uniform());
    std::sort(values.begin(), values.end());
    low += quantile_lower(values, .8, .05) > .8;
    high += quantile_upper(values, .8, .05) < .8;
  }
  // More than 246 of 4000 at 5 % have a probability of 0.1 %.
  expect(low <= 246 && high <= 246, fmt::format("{} and {} of {}", low, high, rounds));
  expect(low > 50 && high > 50, "bounds that never fail are no bounds of that level");
}

TEST(tail_reach_follows_from_loads_and_epochs)
{
  Epochs epochs(2);
  for (auto [loads, note] : {std::pair(20, "95 % of epochs"),
                             {40, "97.5 % of epochs"},
                             {100, "99 % of epochs"},
                             {1000, "99.9 % of epochs"}}) {
    Loads same = epochs.loads(loads, 0, 1);
    expect_has(tail_row(time_row, same, same, {})->row.note, note);
  }
  Loads few = epochs.loads(8, 0, 1), single(30, std::vector<double>{100});
  expect(!tail_row(time_row, few, few, {}), "8 loads bound no tail");
  expect(!tail_row(time_row, single, single, {}), "one epoch a load has no tail");
}

// One epoch of eight is three times as slow: the faster quartile stays where it is.
TEST(tail_finds_what_the_quartile_cannot_see)
{
  Epochs epochs(3);
  Loads base = epochs.loads(100, 0, 1), comp = epochs.loads(100, .125, 3);
  std::vector<double> quartiles;
  for (const std::vector<double> &load : comp)
    quartiles.push_back(quantile(load, .25));
  expect_near(median(quartiles), 100, 2);
  Row row = judged(base, comp);
  expect(row.verdict == Verdict::Regressed, to_string(row.verdict));
  expect(!row.gated && row.secondary, "it fails nothing unless that is asked for");
  expect_eq(row.metric, std::string("latency tail"));
  expect(row.mde && row.interval && row.tests);
  expect(judged(comp, base).verdict == Verdict::Improved);
  expect(tail_row(time_row, base, comp, {.gate_tail = true})->row.gated);
}

TEST(tail_of_rates_is_the_slow_end_too)
{
  Epochs epochs(4);
  Loads base = epochs.loads(100, 0, 1), comp = epochs.loads(100, .125, 3);
  for (Loads *side : {&base, &comp})
    for (std::vector<double> &load : *side)
      for (double &epoch : load)
        epoch = 1000 / epoch;
  Row row = time_row;
  row.unit = "M ops/s";
  row.better = result::Better::Higher;
  Row worse = judged(base, comp, row);
  expect(worse.verdict == Verdict::Regressed);
  expect_near(*worse.change, -2 / 3., .02);
}

TEST(tail_of_the_same_code_is_no_regression)
{
  Epochs epochs(5);
  size_t alarms = 0;
  constexpr int rounds = 1000;
  for (int round = 0; round < rounds; round++) {
    std::optional<Candidate> row =
        tail_row(time_row, epochs.loads(20, .1, 3), epochs.loads(20, .1, 3), {.tolerance = 0});
    alarms += row->evidence->p_worse() <= .05;
  }
  // More than 72 of 1000 at 5 % have a probability of 0.1 %.
  expect(alarms <= 72, fmt::format("{} of {}", alarms, rounds));
}
