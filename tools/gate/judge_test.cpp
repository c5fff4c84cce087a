// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The decision of gate check on simulated units: what a hostile machine does to identical code must
// not become a regression. Seeded, so each run repeats the last one.
#include <algorithm>
#include <cmath>
#include <random>

#include "tools/gate/compare.h"
#include "tools/gate/statistics.h"
#include "tools/gate/test_results.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;

namespace
{

// A machine: what it adds to the logs of the times of one unit.
struct Machine {
  double sigma = 0.01;     // of one load, log
  double drift = 0;        // over the whole run, log
  double burst = 0;        // share of units in which one side is hit
  double modes = 0;        // distance of two modes that a load falls into by chance
  double position = 0;     // what the second load gains
  bool heavy_tail = false; // Cauchy instead of normal
};

class Simulation {
public:
  Simulation(Machine machine, uint64_t seed) : x_machine(machine), x_random(seed) {}

  // One row: base and comp of that many units, comp slower by effect (a fraction).
  std::pair<result::Benchmark, result::Benchmark> row(const std::string &name, size_t units,
                                                      double effect)
  {
    std::vector<std::vector<double>> sides[2];
    std::vector<char> coins(units);
    for (size_t i = 0; i < units; i++)
      coins[i] = i % 2;
    std::shuffle(coins.begin(), coins.end(), x_random);
    for (size_t i = 0; i < units; i++)
      for (int side = 0; side < 2; side++) {
        double log = noise() + x_machine.drift * i / units;
        log += side == (coins[i] ? 0 : 1) ? -x_machine.position : 0;
        log += side == 1 ? std::log1p(effect) : 0;
        sides[side].push_back({100 * std::exp(log)});
      }
    return {one_benchmark(name, time_metric(sides[0])), one_benchmark(name, time_metric(sides[1]))};
  }

private:
  double noise()
  {
    double value =
        x_machine.sigma * (x_machine.heavy_tail ? x_cauchy(x_random) : x_normal(x_random));
    if (x_uniform(x_random) < x_machine.burst)
      value += 3 * x_uniform(x_random);
    if (x_uniform(x_random) < 0.5)
      value += x_machine.modes;
    return std::clamp(value, -20.0, 20.0);
  }

  Machine x_machine;
  std::mt19937_64 x_random;
  std::normal_distribution<double> x_normal;
  std::cauchy_distribution<double> x_cauchy;
  std::uniform_real_distribution<double> x_uniform;
};

struct Outcome {
  Counts counts = {};
  size_t of(Verdict verdict) const { return counts[static_cast<size_t>(verdict)]; }
};

} // namespace

using Wanted = std::map<std::string, size_t>; // name -> units

static std::vector<Candidate> look(Simulation &simulation, const Wanted &wanted, double effect,
                                   const Settings &settings)
{
  result::Result base = one_result({}), comp = one_result({});
  for (const auto &[name, units] : wanted) {
    auto [a, b] = simulation.row(name, units, effect);
    base.benchmarks.push_back(std::move(a));
    comp.benchmarks.push_back(std::move(b));
  }
  return match_rows(base, comp, settings);
}

// A whole check: the first look at all rows, a second one with fresh units at what is left open.
static Outcome simulate_check(Simulation &simulation, size_t row_count, double effect,
                              double tolerance)
{
  Settings settings = {.paired = true, .tolerance = tolerance};
  Wanted wanted, open;
  for (size_t i = 0; i < row_count; i++)
    wanted[fmt::format("b{}", i)] = 20;
  std::vector<Candidate> first = look(simulation, wanted, effect, settings);
  for (const auto &[key, units] : screen(first, .006, .01, .004))
    open[key.substr(0, key.find('{'))] = second_units(units, 20, 180);
  std::erase_if(first, [](const Candidate &c) { return c.row.verdict != Verdict::Unchanged; });
  std::vector<Candidate> second = look(simulation, open, effect, settings);
  judge(second, .01, .004);
  Outcome outcome;
  for (const auto *part : {&first, &second})
    for (const Candidate &candidate : *part)
      outcome.counts[static_cast<size_t>(candidate.row.verdict)]++;
  expect_eq(first.size() + second.size(), row_count);
  return outcome;
}

// In how many runs some row had each verdict.
static Outcome runs_with(Machine machine, int runs, size_t rows, double effect, double tolerance)
{
  Outcome hits;
  for (int run = 0; run < runs; run++) {
    Simulation simulation(machine, 1000 + run);
    Outcome outcome = simulate_check(simulation, rows, effect, tolerance);
    for (size_t i = 0; i < verdict_count; i++)
      hits.counts[i] += outcome.counts[i] > 0;
  }
  return hits;
}

static const Machine machines[] = {
    {.sigma = .01},
    {.sigma = .05, .drift = .5},
    {.sigma = .01, .burst = .3},
    {.sigma = .005, .modes = .08},
    {.sigma = .02, .position = .25},
    {.sigma = .05, .drift = .3, .burst = .1, .modes = .05, .position = .1, .heavy_tail = true},
};

TEST(judge_identical_sides_stay_under_alpha)
{
  // Without tolerance nothing but the test itself guards against a false alarm: 1 % of 200 runs of
  // 15 rows are 2; more than 7 have a chance of 1 in 1000.
  for (const Machine &machine : machines) {
    Outcome runs = runs_with(machine, 200, 15, 0, 0);
    expect(runs.of(Verdict::Regressed) <= 7, fmt::format("{} alarms", runs.of(Verdict::Regressed)));
    expect(runs.of(Verdict::Improved) <= 7, fmt::format("{} gains", runs.of(Verdict::Improved)));
  }
}

TEST(judge_identical_sides_with_tolerance_never_alarm)
{
  for (const Machine &machine : machines)
    expect(runs_with(machine, 100, 15, 0, .05).of(Verdict::Regressed) <= 1, "false alarms");
}

TEST(judge_effect_at_the_tolerance_is_not_told_more_often_than_alpha)
{
  size_t alarms = runs_with({.sigma = .02}, 200, 5, .05, .05).of(Verdict::Regressed);
  expect(alarms <= 7, fmt::format("{} alarms", alarms));
}

TEST(judge_effect_beyond_the_tolerance_is_never_proven_absent)
{
  for (const Machine &machine : machines)
    expect(runs_with(machine, 200, 1, .06, .05).of(Verdict::Unchanged) <= 7, "silent losses");
}

TEST(judge_finds_more_of_what_is_larger)
{
  size_t last = 0;
  for (double effect : {0.0, .05, .07, .1, .2, .3}) {
    size_t found = runs_with({.sigma = .03}, 60, 3, effect, .05).of(Verdict::Regressed);
    expect(found >= last, fmt::format("{} runs at {}", found, effect));
    last = found;
  }
  expect_eq(last, 60u);
}

TEST(judge_quiet_machine_proves_what_did_not_change)
{
  Simulation simulation({.sigma = .01}, 7);
  expect_eq(simulate_check(simulation, 30, 0, .05).of(Verdict::Unchanged), 30u);
}

TEST(judge_swapping_the_sides_swaps_the_verdict)
{
  Settings settings = {.paired = true, .tolerance = .05};
  Simulation simulation({.sigma = .03}, 3);
  for (double effect : {-.3, -.1, 0.0, .1, .3}) {
    auto [a, b] = simulation.row("r", 40, effect);
    std::vector<Candidate> ab = match_rows(one_result({a}), one_result({b}), settings);
    std::vector<Candidate> ba = match_rows(one_result({b}), one_result({a}), settings);
    expect_near(std::log1p(*ab[0].row.change), -std::log1p(*ba[0].row.change), 1e-9);
    expect_near(ab[0].evidence->p_worse(), ba[0].evidence->p_better(), 1e-12);
    judge(ab, .01, .01);
    judge(ba, .01, .01);
    expect_eq(ab[0].row.verdict == Verdict::Regressed, ba[0].row.verdict == Verdict::Improved);
    expect_eq(ab[0].row.verdict == Verdict::Improved, ba[0].row.verdict == Verdict::Regressed);
  }
}

TEST(judge_verdict_is_where_the_interval_lies)
{
  Settings settings = {.paired = true, .tolerance = .05};
  for (int seed = 0; seed < 60; seed++) {
    Simulation simulation({.sigma = .03}, seed);
    std::vector<Candidate> rows;
    for (double effect : {-.2, -.06, 0.0, .04, .06, .12}) {
      auto [a, b] = simulation.row("r", 40, effect);
      rows.push_back(std::move(match_rows(one_result({a}), one_result({b}), settings)[0]));
    }
    judge(rows, .01, .01);
    for (const Candidate &each : rows) {
      const Row &row = each.row;
      bool worse = row.interval->low > .05, better = row.interval->high < 1 / 1.05 - 1;
      expect_eq(worse, row.verdict == Verdict::Regressed);
      expect(!better || row.verdict == Verdict::Improved || row.verdict == Verdict::Unchanged);
      expect(row.verdict != Verdict::Unchanged || row.interval->high < .05);
    }
  }
}

TEST(judge_the_same_code_never_regresses)
{
  Settings settings = {.paired = true, .identical = {"r{}"}};
  Simulation simulation({.sigma = .01}, 1);
  auto [a, b] = simulation.row("r", 40, .5);
  std::vector<Candidate> rows = match_rows(one_result({a}), one_result({b}), settings);
  judge(rows, .01, .01);
  expect(rows[0].row.verdict == Verdict::Inconclusive);
  expect_has(rows[0].row.note, "too noisy");
}

TEST(judge_floor_of_a_load_ignores_disturbed_epochs)
{
  Settings settings = {.paired = true};
  auto disturbed = loads_around(100, 20, .001), quiet = loads_around(100, 20, .001, 2);
  for (auto &load : disturbed)
    load.insert(load.end(), {500, 900, 120});
  std::vector<Candidate> rows = match_rows(time_result(quiet), time_result(disturbed), settings);
  judge(rows, .01, .01);
  expect(rows[0].row.verdict == Verdict::Unchanged);
  expect_near(*rows[0].row.comp, 100, .2);
}
