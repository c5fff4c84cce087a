// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/power/rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/gate/judge/compare.h"
#include "tools/gate/statistics/statistics.h"

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

// Units begin to end of one row; key: of the row.
static Candidate candidate_of(const std::string &key, const Logs &logs, size_t begin, size_t end,
                              const GateRule &rule)
{
  auto value = logs.values.begin();
  auto second = logs.second.begin();
  Candidate candidate;
  candidate.key = candidate.row.name = key;
  candidate.row.base_loads = candidate.row.comp_loads = end - begin;
  candidate.row.method = "ab";
  candidate.evidence =
      gate::paired_evidence({value + begin, value + end}, {second + begin, second + end},
                            rule.tolerance, result::Better::Lower, 0);
  return candidate;
}

std::vector<Verdict> gate_verdicts(const std::vector<std::vector<Unit>> &rows, const GateRule &rule)
{
  double second_proof = (1 - first_share) * proof;
  std::vector<Logs> logs;
  std::vector<Candidate> first, second;
  for (const std::vector<Unit> &units : rows) {
    logs.push_back(logs_of(units, rule.statistic));
    first.push_back(candidate_of(std::to_string(first.size()), logs.back(), 0,
                                 std::min(rule.first_units, units.size()), rule));
  }
  for (auto [key, needed] : screen(first, first_share * proof, rule.alpha, second_proof)) {
    const Logs &all = logs[std::stoul(key)];
    size_t begin = std::min(rule.first_units, all.values.size());
    size_t left = all.values.size() - begin;
    size_t count = gate::second_units(needed, std::min(begin, left), left);
    second.push_back(candidate_of(key, all, begin, begin + count, rule));
  }
  judge_again(first, std::move(second), rule.alpha, second_proof);
  std::vector<Verdict> verdicts(rows.size());
  for (const Candidate &candidate : first)
    verdicts[std::stoul(candidate.key)] = candidate.row.verdict;
  return verdicts;
}

} // namespace power
