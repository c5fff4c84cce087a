// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/history.h"

#include "tools/gate/judge/figures.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/lib/hash.h"
#include "tools/lib/json.h"

namespace gate
{

using result::Benchmark;
using result::Metric;

std::string Series::key() const
{
  return sha1_hex(class_name + "\n" + result::json_text(suite)).substr(0, 8);
}

static HistoryRow row_of(const Benchmark &benchmark, const Metric &metric)
{
  std::vector<double> loads = figures_of(metric, PerLoad::Median).usable();
  return {.key = result::benchmark_key(benchmark),
          .name = benchmark.name,
          .parameters = benchmark.parameters,
          .metric = metric.name,
          .unit = metric.unit,
          .better = metric.better,
          .kind = metric.kind,
          .gated = metric.gated,
          .definition = benchmark.definition,
          .center = median(loads),
          .spread = robust_sigma(loads),
          .loads = loads.size()};
}

std::vector<HistoryRow> history_rows(const result::Result &result, const Judgements &judgements)
{
  std::vector<HistoryRow> rows;
  for (const Benchmark &benchmark : result.benchmarks)
    for (const Metric &metric : benchmark.metrics) {
      HistoryRow row = row_of(benchmark, metric);
      if (auto judged = judgements.find({row.key, row.metric}); judged != judgements.end()) {
        row.verdict = judged->second.verdict;
        row.change = judged->second.change;
      }
      rows.push_back(std::move(row));
    }
  return rows;
}

} // namespace gate
