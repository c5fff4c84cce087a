// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/power/suite.h"

#include <algorithm>

#include "tools/gate/statistics/statistics.h"

namespace power
{

using gate::Verdict;

double unit_ms(const Data &data, const std::string &benchmark)
{
  std::vector<double> walls;
  for (const Series &series : data.series)
    if (series.benchmark == benchmark)
      for (const Unit &unit : series.units)
        walls.push_back(unit.wall_ms);
  return gate::median(walls);
}

size_t affordable_units(const Data &data, const std::string &benchmark, double seconds)
{
  return std::max<size_t>(1, 1000 * seconds / unit_ms(data, benchmark));
}

SuiteRuns::SuiteRuns(const Data &data, double seconds, size_t trials, uint64_t seed)
    : x_data(data), x_trials(trials), x_resample(seed)
{
  for (const std::string &benchmark : data.benchmarks)
    x_units.push_back(affordable_units(data, benchmark, seconds));
}

std::vector<std::vector<Unit>> SuiteRuns::clean_rows(const GateRule &rule)
{
  std::vector<std::vector<Unit>> rows;
  for (size_t i = 0; i < x_units.size(); i++) {
    const Series *same = x_data.find(x_data.benchmarks[i], 0);
    rows.push_back(x_resample.relabelled(*same, x_units[i], rule.first_units));
  }
  return rows;
}

CleanRuns SuiteRuns::clean(const GateRule &rule)
{
  CleanRuns sum;
  for (size_t i = 0; i < x_trials; i++) {
    std::vector<Verdict> verdicts = gate_verdicts(clean_rows(rule), rule);
    bool any = false;
    for (size_t k = 0; k < verdicts.size(); k++) {
      const std::string &name = x_data.benchmarks[k];
      sum.regressed[name].add(verdicts[k] == Verdict::Regressed);
      sum.unchanged[name].add(verdicts[k] == Verdict::Unchanged);
      any |= verdicts[k] == Verdict::Regressed;
    }
    sum.runs.add(any);
  }
  return sum;
}

SlowedRuns SuiteRuns::slowed(const std::string &benchmark, double effect, const GateRule &rule)
{
  SlowedRuns sum;
  const Series *slowed = x_data.find(benchmark, effect);
  const auto &names = x_data.benchmarks;
  size_t place = std::find(names.begin(), names.end(), benchmark) - names.begin();
  for (size_t i = 0; slowed && i < x_trials; i++) {
    std::vector<std::vector<Unit>> rows = clean_rows(rule);
    rows[place] = x_resample.drawn(*slowed, x_units[place]);
    std::vector<Verdict> verdicts = gate_verdicts(rows, rule);
    for (size_t k = 0; k < verdicts.size(); k++)
      (k == place ? sum.found : sum.alarms).add(verdicts[k] == Verdict::Regressed);
  }
  return sum;
}

} // namespace power
