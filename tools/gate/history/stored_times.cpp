// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/stored_times.h"

#include <fmt/format.h>

#include <cmath>

#include "tools/gate/statistics/statistics.h"
#include "tools/gate/statistics/units.h"

namespace gate
{

static std::map<RowName, double> time_logs(const result::Result &result)
{
  std::map<RowName, double> logs;
  for (const HistoryRow &row : history_rows(result, {}))
    if (row.gated && row.kind == result::Class::Time && row.center > 0)
      logs[{row.key, row.metric}] = std::log(row.center);
  return logs;
}

NewRun new_run(const result::Result &comp, const std::string &artefact, const Recording *against)
{
  NewRun run = {.logs = time_logs(comp),
                .definitions = {},
                .code = code_identity(comp.tool.revision, artefact)};
  for (const result::Benchmark &benchmark : comp.benchmarks)
    for (const result::Metric &metric : benchmark.metrics)
      run.definitions[{result::benchmark_key(benchmark), metric.name}] = benchmark.definition;
  if (against)
    run.from = time_logs(against->result);
  return run;
}

static void describe(Row &row, const Prediction &prediction, double level)
{
  add_note(row, fmt::format("predicted from {} accepted runs: +-{:.1f} %", prediction.runs,
                            100 * prediction.half_width(level)));
}

// False: the history is not enough.
static bool judge_by_history(Candidate &candidate, const RunHistory &history, const NewRun &run,
                             const StoredRule &rule, size_t &usable)
{
  Row &row = candidate.row;
  RowName name = {candidate.key, row.metric};
  auto log = run.logs.find(name);
  if (log == run.logs.end())
    return true; // nothing to judge; that is told already
  std::optional<Prediction> prediction = predict(history, name, run, usable);
  if (!prediction || prediction->unit != row.unit)
    return false;
  row.method = "prediction";
  const Threshold *own = find_threshold(rule.thresholds, row.name, row.metric);
  row.tolerance = own ? own->tolerance : rule.tolerance;
  row.base = std::exp(prediction->center);
  candidate.evidence = predicted_evidence(*prediction, log->second, row.tolerance, row.better);
  row.change = candidate.evidence->change();
  describe(row, *prediction, rule.alpha);
  return true;
}

std::string use_history(std::vector<Candidate> &candidates, const RunHistory &history,
                        const NewRun &run, const StoredRule &rule)
{
  size_t predicted = 0, short_of = 0;
  for (Candidate &candidate : candidates) {
    Row &row = candidate.row;
    if (!candidate.evidence || !row.gated || row.method != "stored" ||
        row.kind != result::Class::Time)
      continue;
    size_t usable = 0;
    if (judge_by_history(candidate, history, run, rule, usable)) {
      predicted++;
      continue;
    }
    short_of++;
    if (rule.trusted)
      continue;
    // Its interval would claim more than two runs can tell.
    candidate.evidence.reset();
    found(row, "few-loads", fmt::format("needs {} accepted runs, has {}", fewest_runs, usable));
  }
  if (short_of > 0 && !rule.trusted)
    return fmt::format("{} times have too few accepted runs for a stored figure to tell drift from "
                       "change: measure interleaved, record more often, or give --stored-tolerance",
                       short_of);
  if (predicted > 0)
    return fmt::format("{} times are judged by prediction intervals; measured interleaved, smaller "
                       "changes could be decided",
                       predicted);
  return "";
}

} // namespace gate
