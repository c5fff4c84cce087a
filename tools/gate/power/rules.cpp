// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/power/rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/gate/compare.h"
#include "tools/gate/statistics.h"

namespace power
{

using gate::Candidate;
using gate::Verdict;

// Of an error of "unchanged", as check shares it out between its looks.
static constexpr double proof = 0.01, first_share = 0.6;

static double mean(const std::vector<double> &values)
{
  return std::accumulate(values.begin(), values.end(), 0.0) / values.size();
}

double figure_of(const std::vector<double> &epochs, Statistic statistic)
{
  switch (statistic) {
  case Statistic::Floor:
    return *std::min_element(epochs.begin(), epochs.end());
  case Statistic::LowerQuartile:
    return gate::quantile(epochs, 0.25);
  case Statistic::Median:
    return gate::median(epochs);
  default:
    return mean(epochs);
  }
}

Logs logs_of(const std::vector<Unit> &units, Statistic statistic)
{
  Logs logs;
  for (const Unit &unit : units) {
    logs.values.push_back(
        std::log(figure_of(unit.comp, statistic) / figure_of(unit.base, statistic)));
    logs.second.push_back(unit.second);
  }
  return logs;
}

// The units from begin on, as a family of one row.
static std::vector<Candidate> one_row(const Logs &logs, size_t begin, size_t count,
                                      const GateRule &rule)
{
  auto value = logs.values.begin() + begin;
  auto second = logs.second.begin() + begin;
  Candidate candidate;
  candidate.row.base_loads = candidate.row.comp_loads = count;
  candidate.row.method = "ab";
  candidate.key = "row";
  candidate.evidence = gate::paired_evidence({value, value + count}, {second, second + count},
                                             rule.tolerance, result::Better::Lower, 0);
  std::vector<Candidate> rows;
  rows.push_back(std::move(candidate));
  return rows;
}

Verdict gate_verdict(const std::vector<Unit> &units, const GateRule &rule)
{
  Logs logs = logs_of(units, rule.statistic);
  size_t first = std::min(rule.first_units, units.size()), left = units.size() - first;
  std::vector<Candidate> rows = one_row(logs, 0, first, rule);
  double second_proof = (1 - first_share) * proof;
  auto again = screen(rows, first_share * proof, rule.alpha, second_proof);
  if (again.empty())
    return rows[0].row.verdict;
  size_t count = gate::second_units(again.begin()->second, std::min(first, left), left);
  rows = one_row(logs, first, count, rule);
  judge(rows, rule.alpha, second_proof);
  return rows[0].row.verdict;
}

} // namespace power
