// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The decision of gate check on simulated units: what a hostile machine does to identical code must
// not become a regression. Seeded, so each run repeats the last one.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tools/gate/judge/compare.h"
#include "tools/gate/judge/evidence.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/gate/testing/simulation.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;

namespace
{

// Two results, unit by unit, and the order that they were measured in.
struct Measured {
  result::Result base = one_result({}), comp = one_result({});
  Settings settings;
};

struct Outcome {
  Counts counts = {};
  size_t of(Verdict verdict) const { return counts[static_cast<size_t>(verdict)]; }
};

} // namespace

using Wanted = std::map<std::string, size_t>; // name -> units

static std::vector<std::vector<double>> as_loads(const std::vector<double> &values)
{
  std::vector<std::vector<double>> loads;
  for (double value : values)
    loads.push_back({value});
  return loads;
}

static void add(Measured &measured, const std::string &name, const SimulatedUnits &units)
{
  measured.base.benchmarks.push_back(one_benchmark(name, time_metric(as_loads(units.base))));
  measured.comp.benchmarks.push_back(one_benchmark(name, time_metric(as_loads(units.comp))));
  measured.settings.comp_second[name + "{}"] = units.comp_second;
}

static std::vector<Candidate> match(const Measured &measured)
{
  return match_rows(measured.base, measured.comp, measured.settings);
}

static std::vector<Candidate> look(Simulation &simulation, const Wanted &wanted, double effect,
                                   const Settings &settings)
{
  Measured measured = {.settings = settings};
  for (const auto &[name, units] : wanted)
    add(measured, name, simulation.units(units, effect));
  return match(measured);
}

static Candidate one_row(const SimulatedUnits &units, const Settings &settings)
{
  Measured measured = {.settings = settings};
  add(measured, "r", units);
  return std::move(match(measured)[0]);
}

// A whole check of made-up units: the first look at all rows, fresh units for what it leaves open.
static Outcome simulate_check(Simulation &simulation, size_t row_count, double effect,
                              double tolerance)
{
  Settings settings = {.paired = true, .tolerance = tolerance};
  Wanted wanted;
  for (size_t i = 0; i < row_count; i++)
    wanted[fmt::format("b{}", i)] = 20;
  std::vector<Candidate> rows = look(simulation, wanted, effect, settings);
  judge_in_two_looks(rows, .01, .01, [&](const std::map<std::string, size_t> &again) {
    Wanted open;
    for (const auto &[key, units] : again)
      open[key.substr(0, key.find('{'))] = second_units(units, 20, 180);
    return look(simulation, open, effect, settings);
  });
  Outcome outcome;
  for (const Candidate &candidate : rows)
    outcome.counts[static_cast<size_t>(candidate.row.verdict)]++;
  expect_eq(rows.size(), row_count);
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

TEST(judge_identical_sides_stay_under_alpha)
{
  // Without tolerance nothing but the test itself guards against a false alarm: 1 % of 200 runs of
  // 15 rows are 2; more than 7 have a chance of 1 in 1000.
  for (const Machine &machine : hostile_machines()) {
    Outcome runs = runs_with(machine, 200, 15, 0, 0);
    for (Verdict verdict : {Verdict::Regressed, Verdict::Improved})
      expect(runs.of(verdict) <= 7, fmt::format("{}: {} runs with {}", machine.name,
                                                runs.of(verdict), to_string(verdict)));
  }
}

TEST(judge_identical_sides_with_tolerance_never_alarm)
{
  for (const Machine &machine : hostile_machines())
    expect(runs_with(machine, 100, 15, 0, .05).of(Verdict::Regressed) <= 1, "false alarms");
}

TEST(judge_effect_at_the_tolerance_is_not_told_more_often_than_alpha)
{
  size_t alarms = runs_with({.sigma = .02}, 200, 5, .05, .05).of(Verdict::Regressed);
  expect(alarms <= 7, fmt::format("{} alarms", alarms));
}

TEST(judge_effect_beyond_the_tolerance_is_never_proven_absent)
{
  for (const Machine &machine : hostile_machines())
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

static SimulatedUnits swapped(const SimulatedUnits &units)
{
  SimulatedUnits other = {units.comp, units.base, units.comp_second};
  other.comp_second.flip();
  return other;
}

TEST(judge_swapping_the_sides_swaps_the_verdict)
{
  Settings settings = {.paired = true, .tolerance = .05};
  Simulation simulation({.sigma = .03}, 3);
  for (double effect : {-.3, -.1, 0.0, .1, .3}) {
    SimulatedUnits units = simulation.units(40, effect);
    std::vector<Candidate> ab, ba;
    ab.push_back(one_row(units, settings));
    ba.push_back(one_row(swapped(units), settings));
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
    for (double effect : {-.2, -.06, 0.0, .04, .06, .12})
      rows.push_back(one_row(simulation.units(40, effect), settings));
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

// Everything moved: whether that is the host is told by what no patch can move.
TEST(judge_input_29_anchors_decide_about_a_host_shift)
{
  auto rows = [](Verdict anchor, const char *method) {
    std::vector<Row> rows;
    for (int i = 0; i < 6; i++)
      rows.push_back(judged({.name = fmt::format("b{}", i), .change = .1}, Verdict::Regressed));
    rows.push_back(judged({.name = "anchor-alu", .change = .1}, anchor));
    for (Row &row : rows)
      row.method = method;
    return rows;
  };
  for (const char *method : {"ab", "stored"}) {
    std::vector<Row> patch = rows(Verdict::Unchanged, method);
    expect_eq(find_host_shift(patch), std::string());
    expect(patch[0].verdict == Verdict::Regressed);
  }
  std::vector<Row> host = rows(Verdict::Regressed, "stored");
  expect_has(find_host_shift(host),
             "an anchor moved, which no patch can move, and 6 of 6 times got worse");
  for (const Row &row : host)
    expect(row.verdict == Verdict::Incomparable, row.name);
  // In turns both sides had the same host; without anchors nobody knows.
  std::vector<Row> ab = rows(Verdict::Regressed, "ab"), bare = rows(Verdict::Regressed, "stored");
  bare.pop_back();
  for (std::vector<Row> *each : {&ab, &bare}) {
    expect_eq(find_host_shift(*each), std::string());
    expect((*each)[0].verdict == Verdict::Regressed);
  }
}

// Measured apart, an anchor that moved is enough; in turns it says nothing of a single row.
TEST(judge_an_anchor_decides_about_times_measured_apart)
{
  auto rows = [](Verdict anchor, double change, const char *method) {
    std::vector<Row> rows = {judged({.name = "slower", .change = .3}, Verdict::Regressed),
                             judged({.name = "faster", .change = -.2}, Verdict::Improved),
                             judged({.name = "same", .change = .01}, Verdict::Unchanged),
                             judged({.name = "anchor-alu", .change = change}, anchor)};
    for (Row &row : rows)
      row.method = method;
    return rows;
  };
  for (const char *method : {"stored", "prediction"}) {
    std::vector<Row> slow = rows(Verdict::Regressed, .08, method);
    expect_has(find_host_shift(slow), "an anchor moved, which no patch can move, and 1 of 3");
    expect(slow[0].verdict == Verdict::Incomparable && slow[3].verdict == Verdict::Incomparable);
    expect(slow[1].verdict == Verdict::Improved && slow[2].verdict == Verdict::Unchanged);
    std::vector<Row> fast = rows(Verdict::Improved, -.08, method);
    expect_has(find_host_shift(fast), "1 of 3 times got better");
    expect(fast[0].verdict == Verdict::Regressed && fast[1].verdict == Verdict::Incomparable);
    std::vector<Row> still = rows(Verdict::Unchanged, .0, method);
    expect_eq(find_host_shift(still), std::string());
  }
  std::vector<Row> in_turns = rows(Verdict::Regressed, .08, "ab");
  expect_eq(find_host_shift(in_turns), std::string());
}

// The host lost 5.7 % between the two runs, too little for the anchor to be told regressed.
TEST(judge_what_an_anchor_moved_is_taken_off)
{
  using result::Better;
  auto rows = [](double anchor, const char *method, Verdict verdict) {
    std::vector<Row> rows = {{.name = "as the host", .better = Better::Lower, .change = .058},
                             {.name = "rate", .better = Better::Higher, .change = -.06},
                             {.name = "much more", .better = Better::Lower, .change = .13},
                             {.name = "anchor-alu", .better = Better::Lower, .change = anchor}};
    for (Row &row : rows) {
      row = judged(row, row.name == "anchor-alu" ? Verdict::Inconclusive : verdict);
      row.interval = {*row.change - .005, *row.change + .005};
      row.tolerance = .05;
      row.method = method;
    }
    return rows;
  };
  std::vector<Row> slower = rows(.057, "stored", Verdict::Regressed);
  expect_has(find_host_shift(slower), "an anchor got 5.7 % slower, which no patch can do; moved no "
                                      "further than that and the tolerance: 2");
  expect(slower[0].verdict == Verdict::Incomparable && slower[1].verdict == Verdict::Incomparable);
  expect(slower[2].verdict == Verdict::Regressed && slower[3].verdict == Verdict::Inconclusive);
  for (std::vector<Row> others :
       {rows(.0, "stored", Verdict::Regressed), rows(-.03, "stored", Verdict::Regressed),
        rows(.057, "ab", Verdict::Regressed)}) {
    expect_eq(find_host_shift(others), std::string());
    expect(others[0].verdict == Verdict::Regressed && others[1].verdict == Verdict::Regressed);
  }
  std::vector<Row> faster = rows(-.057, "stored", Verdict::Improved);
  for (Row &row : faster) {
    row.change = row.name == "rate" ? .06 : -.058;
    row.interval = {*row.change - .002, *row.change + .002};
  }
  expect_has(
      find_host_shift(faster),
      "6.2 % faster, which no patch can do; moved no further than that and the tolerance: 3");
}

TEST(judge_the_same_code_never_regresses)
{
  Settings settings = {.paired = true, .identical = {"r{}"}};
  Simulation simulation({.sigma = .01}, 1);
  std::vector<Candidate> rows;
  rows.push_back(one_row(simulation.units(40, .5), settings));
  judge(rows, .01, .01);
  expect(rows[0].row.verdict == Verdict::Inconclusive);
  expect_has(rows[0].row.note, "too noisy");
}

TEST(judge_quartile_of_a_load_ignores_disturbed_epochs)
{
  Settings settings = {.paired = true};
  settings.comp_second["lookup{}"] = std::vector<bool>(20);
  for (size_t i = 0; i < 20; i += 2)
    settings.comp_second["lookup{}"][i] = true;
  auto disturbed = loads_around(100, 20, .001), quiet = loads_around(100, 20, .001, 2);
  for (auto &load : disturbed) {
    load.resize(5, load[0]);
    load.insert(load.end(), {500, 900, 120});
  }
  std::vector<Candidate> rows = match_rows(time_result(quiet), time_result(disturbed), settings);
  judge(rows, .01, .01);
  expect(rows[0].row.verdict == Verdict::Unchanged);
  expect_near(*rows[0].row.comp, 100, .2);
}

// A metric without a direction: its interval leaves the band exactly where the test rejects, and
// lies in it where nothing is proven to have changed.
TEST(judge_without_a_direction_the_interval_says_what_the_test_says)
{
  Settings settings = {.paired = true, .tolerance = .05};
  for (int seed = 0; seed < 200; seed++) {
    Simulation simulation({.sigma = .03}, seed);
    Measured measured = {.settings = settings};
    add(measured, "r", simulation.units(20, seed % 2 ? .085 : .025));
    for (result::Result *side : {&measured.base, &measured.comp})
      side->benchmarks[0].metrics[0].better = result::Better::Unknown;
    std::vector<Candidate> rows = match(measured);
    judge(rows, .05, .05);
    const Row &row = rows[0].row;
    bool outside = row.interval->low > .05 || row.interval->high < 1 / 1.05 - 1;
    expect(outside == (row.verdict == Verdict::Regressed), fmt::format("seed {}", seed));
    expect(row.verdict != Verdict::Unchanged ||
               (row.interval->high < .05 && row.interval->low > 1 / 1.05 - 1),
           fmt::format("seed {}", seed));
  }
}

TEST(judge_fresh_units_are_never_more_than_there_may_be)
{
  expect_eq(second_units(5, 100, 20), 20u);
  expect_eq(second_units(0, 100, 20), 20u);
  expect_eq(second_units(30, 20, 180), 40u);
  expect_eq(second_units(100, 20, 180), 125u);
}

// Too few fresh units for a tail: the row stays, and says so.
// Whatever the first look saw, a row that no fresh units came for is not called changed: not a time
// that is three times as slow, nor a count that doubled.
TEST(judge_nothing_changes_without_two_looks)
{
  for (double effect : {2., -.6}) {
    Measured measured = {.settings = {.paired = true, .tolerance = .05}};
    Simulation simulation({.sigma = .01}, 5);
    add(measured, "slow", simulation.units(40, effect));
    auto count = [&](double value) {
      return result::Metric{.name = "insns",
                            .unit = "insns/op",
                            .kind = result::Class::Exact,
                            .gated = true,
                            .samples = std::vector(40, std::vector{value})};
    };
    measured.base.benchmarks[0].metrics.push_back(count(100));
    measured.comp.benchmarks[0].metrics.push_back(count(100 * (1 + effect)));
    std::vector<Candidate> rows = match(measured);
    judge_in_two_looks(rows, .01, .01, [](const auto &) { return std::vector<Candidate>(); });
    expect_eq(rows.size(), 2u);
    for (const Candidate &each : rows) {
      expect_eq(to_string(each.row.verdict), "inconclusive");
      expect_has(each.row.note, "too few fresh units");
    }
  }
}

TEST(judge_second_look_loses_no_row)
{
  Settings settings = {.paired = true, .tolerance = .05};
  Simulation simulation({.sigma = .03}, 3);
  std::vector<Candidate> first;
  first.push_back(one_row(simulation.units(40, .3), settings));
  first.push_back(one_row(simulation.units(40, .3), settings));
  first[1].secondary = first[1].row.secondary = true;
  first[1].row.metric += " tail";
  std::vector<Candidate> second;
  second.push_back(one_row(simulation.units(40, .3), settings));
  judge_again(first, std::move(second), .01, .004);
  expect_eq(first.size(), 2u);
  for (const Candidate &each : first)
    if (each.secondary) {
      expect(each.row.verdict == Verdict::Inconclusive);
      expect_has(each.row.note, "too few");
    }
}

// What is told of power, by the rule itself: noise of one mode, and of two.
namespace
{

constexpr double row_level = .01, row_tolerance = .05;

std::vector<double> drawn_loads(Noise &noise, bool two_modes, size_t count, double factor = 1)
{
  std::vector<double> loads;
  for (size_t i = 0; i < count; i++)
    loads.push_back(factor * (two_modes && noise() > .25 ? 130 : 100) * (1 + .03 * noise()));
  return loads;
}

std::unique_ptr<Evidence> drawn_evidence(Noise &noise, bool two_modes, size_t count, double factor)
{
  std::vector<double> base = drawn_loads(noise, two_modes, count);
  return apart_evidence(base, drawn_loads(noise, two_modes, count, factor), {row_tolerance, 0},
                        result::Better::Lower, true);
}

double share_of_regressions(Noise &noise, bool two_modes, size_t count, double factor)
{
  constexpr int runs = 400;
  int found = 0;
  for (int i = 0; i < runs; i++)
    found += drawn_evidence(noise, two_modes, count, factor)->p_worse() <= row_level;
  return static_cast<double>(found) / runs;
}

double median_of(const std::function<double()> &one)
{
  std::vector<double> all;
  for (int i = 0; i < 100; i++)
    all.push_back(one());
  return median(std::move(all));
}

} // namespace

TEST(evidence_mde_is_what_nine_of_ten_runs_detect)
{
  Noise noise(1);
  for (bool two_modes : {false, true})
    for (size_t loads : {12, 20, 50}) {
      double mde =
          median_of([&] { return drawn_evidence(noise, two_modes, loads, 1)->mde(row_level); });
      double share = share_of_regressions(noise, two_modes, loads, 1 + mde);
      expect(share > .8 && share < .99,
             fmt::format("{} loads, two modes {}: {} of {:.3f}", loads, two_modes, share, mde));
    }
}

// A guess from 30 loads, of which nobody knows how many are of which mode: about as many.
TEST(evidence_units_needed_decide_most_runs)
{
  Noise noise(2);
  for (bool two_modes : {false, true}) {
    double factor = two_modes ? 1.25 : 1.1;
    double needed = median_of([&] {
      auto units = drawn_evidence(noise, two_modes, 30, factor)->units_needed(row_level, row_level);
      return static_cast<double>(units.value_or(10000));
    });
    double share = share_of_regressions(noise, two_modes, static_cast<size_t>(needed), factor);
    expect(share > .5 && share < 1,
           fmt::format("two modes {}: {} of {} loads", two_modes, share, needed));
  }
}
