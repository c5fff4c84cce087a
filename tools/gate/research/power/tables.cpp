// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/power/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tools/gate/research/power/designs.h"
#include "tools/gate/research/power/markdown.h"
#include "tools/gate/research/power/resample.h"
#include "tools/gate/research/power/rules.h"
#include "tools/gate/research/power/suite.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/gate/testing/simulation.h"

namespace power
{

using gate::Verdict;

using Slower = std::function<bool(const std::vector<Unit> &)>;

static std::vector<std::string> effect_names(const Data &data)
{
  std::vector<std::string> names;
  for (double effect : data.effects())
    names.push_back(fmt::format("+{:g} %", 100 * effect));
  return names;
}

static bool beyond_cache(const JudgeOptions &options, const std::string &benchmark)
{
  return std::any_of(options.beyond_cache.begin(), options.beyond_cache.end(),
                     [&](const std::string &each) { return benchmark.starts_with(each); });
}

static size_t affordable(const Data &data, const std::string &benchmark,
                         const JudgeOptions &options)
{
  return affordable_units(data, benchmark, options.seconds);
}

static Share false_alarms(const Data &data, const std::string &benchmark,
                          const JudgeOptions &options, const Slower &slower)
{
  Share share;
  const Series *same = data.find(benchmark, 0);
  Resample resample(options.seed);
  for (size_t i = 0; same && i < options.trials; i++)
    share.add(slower(resample.relabelled(*same, affordable(data, benchmark, options), 0)));
  return share;
}

static Share found(const Data &data, const std::string &benchmark, double effect,
                   const JudgeOptions &options, const Slower &slower)
{
  Share share;
  const Series *slowed = data.find(benchmark, effect);
  Resample resample(options.seed);
  for (size_t i = 0; slowed && i < options.trials; i++)
    share.add(slower(resample.drawn(*slowed, affordable(data, benchmark, options))));
  return share;
}

// Neighbouring units in the order and with the labels of the measurement.
static Share as_measured(const Data &data, const std::string &benchmark,
                         const JudgeOptions &options, const Slower &slower)
{
  Share share;
  const Series *same = data.find(benchmark, 0);
  size_t count = affordable(data, benchmark, options);
  for (size_t i = 0; same && i + count <= same->units.size(); i += count)
    share.add(slower({same->units.begin() + i, same->units.begin() + i + count}));
  return share;
}

// What the place in the pair does: half the distance of the two groups.
static double position_of(const Series &series)
{
  std::vector<double> groups[2], logs = logs_of(series.units, Statistic::LowerQuartile).values;
  for (size_t i = 0; i < logs.size(); i++)
    groups[series.units[i].second].push_back(logs[i]);
  return (gate::median(groups[1]) - gate::median(groups[0])) / 2;
}

static GateRule gate_rule(const JudgeOptions &options)
{
  GateRule rule;
  rule.tolerance = options.tolerance;
  return rule;
}

std::string benchmark_table(const Data &data, const JudgeOptions &options)
{
  std::vector<std::string> titles = {"benchmark",    "ms a unit", "units",    "sd floor",
                                     "sd quartile",  "sd median", "position", "+5 % is",
                                     "false alarms", "unchanged"};
  for (const std::string &name : effect_names(data))
    titles.push_back(name);
  std::string text = head(titles);
  GateRule rule = gate_rule(options);
  SuiteRuns runs(data, options.seconds, options.trials, options.seed);
  CleanRuns clean = runs.clean(rule);
  for (const std::string &name : data.benchmarks) {
    const Series *same = data.find(name, 0), *slowed = data.find(name, .05);
    if (!same || !slowed)
      continue;
    auto sd = [&](Statistic statistic) {
      return fmt::format("{:.2f} %",
                         100 * gate::robust_sigma(logs_of(same->units, statistic).values));
    };
    double injected = gate::median(logs_of(slowed->units, Statistic::LowerQuartile).values);
    std::vector<std::string> cells = {name,
                                      fmt::format("{:.0f}", unit_ms(data, name)),
                                      fmt::format("{}", affordable(data, name, options)),
                                      sd(Statistic::Floor),
                                      sd(Statistic::LowerQuartile),
                                      sd(Statistic::Median),
                                      fmt::format("{:+.2f} %", 100 * position_of(*same)),
                                      fmt::format("{:+.2f} %", 100 * std::expm1(injected)),
                                      fmt::format("{}", clean.regressed[name].hits),
                                      percent(clean.unchanged[name])};
    for (double effect : data.effects())
      cells.push_back(percent(runs.slowed(name, effect, rule).found));
    text += line(cells);
  }
  return text;
}

static Share alarms_apart(const Data &data, const std::string &benchmark,
                          const JudgeOptions &options, const Slower &slower)
{
  Share share;
  const Series *same = data.find(benchmark, 0);
  Resample resample(options.seed);
  for (size_t i = 0; same && i < options.trials; i++)
    if (auto units = resample.apart(*same, affordable(data, benchmark, options)))
      share.add(slower(*units));
  return share;
}

static std::string rule_line(const Data &data, const JudgeOptions &options, const std::string &name,
                             const Slower &slower, bool paired)
{
  Share alarms, measured, apart;
  std::vector<Share> shares(data.effects().size());
  for (const std::string &benchmark : data.benchmarks) {
    alarms.add(false_alarms(data, benchmark, options, slower));
    measured.add(as_measured(data, benchmark, options, slower));
    if (!paired)
      apart.add(alarms_apart(data, benchmark, options, slower));
    for (size_t k = 0; k < shares.size() && !beyond_cache(options, benchmark); k++)
      shares[k].add(found(data, benchmark, data.effects()[k], options, slower));
  }
  std::vector<std::string> cells = {name, rate(alarms), rate(measured),
                                    paired ? "-" : percent(apart)};
  for (const Share &share : shares)
    cells.push_back(percent(share));
  return line(cells);
}

// The gate, in whole runs: its false alarms are those of runs without a change and of the rows that
// were not slowed.
static std::string gate_line(const Data &data, const JudgeOptions &options, const GateRule &rule)
{
  SuiteRuns runs(data, options.seconds, options.trials, options.seed);
  Share alarms, measured;
  for (const auto &[name, share] : runs.clean(rule).regressed)
    alarms.add(share);
  std::vector<std::string> cells;
  for (double effect : data.effects()) {
    Share found;
    for (const std::string &benchmark : data.benchmarks) {
      SlowedRuns slowed = runs.slowed(benchmark, effect, rule);
      alarms.add(slowed.alarms);
      if (!beyond_cache(options, benchmark))
        found.add(slowed.found);
    }
    cells.push_back(percent(found));
  }
  for (const std::string &benchmark : data.benchmarks)
    measured.add(as_measured(data, benchmark, options, [&](const std::vector<Unit> &units) {
      return gate_verdicts({units}, rule)[0] == Verdict::Regressed;
    }));
  std::string name = fmt::format("gate, tolerance {:g} %", 100 * rule.tolerance);
  cells.insert(cells.begin(), {name, rate(alarms), rate(measured), "-"});
  return line(cells);
}

static std::string rules_head(const Data &data, const std::string &first)
{
  std::vector<std::string> titles = {first, "false alarms, A/A relabelled",
                                     "false alarms, A/A as measured", "minutes apart"};
  for (const std::string &name : effect_names(data))
    titles.push_back(name);
  return head(titles);
}

std::string rules_table(const Data &data, const JudgeOptions &options)
{
  std::string text = rules_head(data, "rule");
  GateRule rule = gate_rule(options);
  text += gate_line(data, options, rule);
  rule.tolerance = .05;
  text += gate_line(data, options, rule);
  for (const PeerRule &peer : peer_rules())
    text += rule_line(data, options, peer.name, peer.slower, peer.paired);
  return text;
}

static const std::vector<std::pair<Design, const char *>> designs = {
    {Design::Sign, "sign"}, {Design::Ranks, "ranks"}, {Design::Scores, "scores"}};

// A/A units with comp's figures multiplied: enough of them for any design, where the recording has
// too few slowed ones. In one look, so that nothing but the test differs.
static Share found_scaled(const Data &data, const std::string &benchmark, double effect,
                          size_t pairs, const JudgeOptions &options, const Slower &slower)
{
  Share share;
  const Series *same = data.find(benchmark, 0);
  Resample resample(options.seed);
  for (size_t i = 0; same && i < options.trials; i++) {
    auto units = resample.relabelled(*same, pairs, 0);
    for (Unit &unit : units)
      for (double &time : unit.comp)
        time *= 1 + effect;
    share.add(slower(units));
  }
  return share;
}

static std::string design_line(const Data &data, const JudgeOptions &options, Design design,
                               Statistic statistic, size_t pairs, const std::string &name)
{
  // As Holm's first step over all benchmarks.
  double alpha = .01 / data.benchmarks.size();
  auto slower = [&](const std::vector<Unit> &units) {
    Logs logs = logs_of(units, statistic);
    return p_slower(design, logs.values, logs.second, options.tolerance) <= alpha;
  };
  std::vector<double> effects = {0, .01, .02, .03, .05, .1, .2, .3};
  std::vector<Share> fit(effects.size()), beyond(effects.size());
  for (const std::string &benchmark : data.benchmarks)
    for (size_t k = 0; k < effects.size(); k++)
      (beyond_cache(options, benchmark) ? beyond : fit)[k].add(
          found_scaled(data, benchmark, effects[k], pairs, options, slower));
  std::vector<std::string> cells = {name};
  for (size_t k = 0; k < effects.size(); k++)
    cells.push_back(k == 0 ? fmt::format("{} of {}", fit[0].hits + beyond[0].hits,
                                         fit[0].trials + beyond[0].trials)
                           : percent(fit[k]));
  for (size_t k = 4; k < effects.size(); k++)
    cells.push_back(percent(beyond[k]));
  return line(cells);
}

std::string designs_table(const Data &data, const JudgeOptions &options)
{
  std::string text =
      head({"test, statistic of a unit, pairs", "A/A", "+1 %", "+2 %", "+3 %", "+5 %", "+10 %",
            "+20 %", "+30 %", "beyond the cache +5 %", "+10 %", "+20 %", "+30 %"});
  for (size_t pairs : {20, 40, 80})
    for (auto [statistic, of] : {std::pair(Statistic::Floor, "fastest"),
                                 std::pair(Statistic::LowerQuartile, "lower quartile"),
                                 std::pair(Statistic::Median, "median")})
      for (auto [design, name] : designs)
        text += design_line(data, options, design, statistic, pairs,
                            fmt::format("{}, {}, {}", name, of, pairs));
  return text;
}

// Forty pairs in one look, at 1 % each: what the tests alone are worth.
static Share simulated(const gate::Machine &machine, Design design, double effect,
                       const JudgeOptions &options)
{
  gate::Simulation simulation(machine, options.seed + 1);
  Share share;
  for (size_t i = 0; i < 10 * options.trials; i++) {
    gate::SimulatedUnits units = simulation.units(40, effect);
    std::vector<double> logs;
    for (size_t k = 0; k < units.base.size(); k++)
      logs.push_back(std::log(units.comp[k] / units.base[k]));
    share.add(p_slower(design, logs, units.comp_second, 0) <= .01);
  }
  return share;
}

std::string simulation_table(const JudgeOptions &options)
{
  std::vector<std::string> titles = {"machine"};
  for (auto [design, name] : designs)
    for (const char *effect : {"A/A", "+1 %", "+3 %", "+10 %"})
      titles.push_back(fmt::format("{}, {}", name, effect));
  std::string text = head(titles);
  for (const gate::Machine &machine : gate::hostile_machines()) {
    std::vector<std::string> cells = {machine.name};
    for (auto [design, name] : designs)
      for (double effect : {0.0, .01, .03, .1}) {
        Share share = simulated(machine, design, effect, options);
        cells.push_back(fmt::format("{:.1f} %", 100.0 * share.hits / share.trials));
      }
    text += line(cells);
  }
  return text;
}

} // namespace power
