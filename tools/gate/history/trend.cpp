// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/trend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/judge/row_name.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/gate/statistics/units.h"

namespace gate
{

using result::Result;

namespace
{

// Points of many runs, by row.
class Collector {
public:
  // runs: all of the store.
  Collector(const TrendQuery &query, const std::vector<Run> &runs) : x_query(query)
  {
    for (const Run &run : runs)
      if (run.in_full && !run.artefact.empty())
        x_in_full[run.artefact] = run.id;
  }

  void add(const Run &run, const std::string &label, const std::vector<HistoryRow> &rows)
  {
    for (const HistoryRow &row : rows) {
      if (!row.gated || !is_wanted(row))
        continue;
      Trend &trend = trend_of(run, row);
      TrendPoint point = point_of(run, label, row);
      std::optional<double> factor = conversion(row.unit, trend.unit);
      if (!factor)
        point.gap = fmt::format("unit {} against {}", row.unit, trend.unit);
      else if (point.value *= *factor; !std::isfinite(point.value))
        point.gap = "no figure";
      (point.gap.empty() ? trend.points : trend.gaps).push_back(std::move(point));
    }
  }

  std::vector<Trend> take()
  {
    std::vector<Trend> trends;
    for (auto &[name, trend] : x_trends)
      trends.push_back(std::move(trend));
    return trends;
  }

private:
  using Name = std::tuple<std::string, How, std::string, std::string, int>;

  bool is_wanted(const HistoryRow &row) const
  {
    auto means = [&](const std::string &text) {
      return row_matches(text, row.name, row.parameters, row.metric);
    };
    return x_query.rows.empty() || std::any_of(x_query.rows.begin(), x_query.rows.end(), means);
  }

  // A row that measures something else is another series.
  Trend &trend_of(const Run &run, const HistoryRow &row)
  {
    Trend &trend = x_trends[{run.series.class_name, run.how, row.key, row.metric, row.definition}];
    if (trend.name.empty()) {
      trend.class_name = run.series.class_name;
      trend.how = run.how;
      trend.name = row.name;
      trend.parameters = row.parameters;
      trend.metric = row.metric;
      trend.unit = row.unit;
      trend.better = row.better;
      trend.kind = row.kind;
    }
    return trend;
  }

  TrendPoint point_of(const Run &run, const std::string &label, const HistoryRow &row) const
  {
    TrendPoint point = {.value = row.center,
                        .run = run.id,
                        .label = label,
                        .time = run.time,
                        .revision = run.revision,
                        .accepted = run.accepted};
    if (auto found = x_in_full.find(run.artefact); found != x_in_full.end())
      point.in_full = found->second;
    if (run.new_level)
      point.accepted_as = run.reason;
    return point;
  }

  const TrendQuery &x_query;
  std::map<std::string, int64_t> x_in_full; // by artefact
  std::map<Name, Trend> x_trends;
};

} // namespace

static std::vector<Trend> trends_of_store(const TrendQuery &query)
{
  Store store(query.store);
  std::vector<Run> runs = store.runs();
  Collector collector(query, runs);
  std::map<std::string, std::map<int64_t, std::vector<HistoryRow>>> rows;
  for (const Run &run : runs) {
    if (!run.accepted && !query.all)
      continue;
    const std::string &name = run.series.class_name;
    if (!rows.count(name))
      rows[name] = store.rows(name);
    collector.add(run, fmt::format("run {}", run.id), rows[name][run.id]);
  }
  return collector.take();
}

static std::vector<Trend> trends_of_files(const TrendQuery &query)
{
  // A shell puts run10 before run2: only the files themselves know their order.
  std::vector<std::pair<std::string, Result>> files;
  for (const std::string &path : query.import) {
    files.emplace_back(path, result::read_result(path));
    if (files.back().second.started.empty())
      throw usage_error(
          fmt::format("{}: does not say when it was measured (\"started\"), so its place in the "
                      "history is not known",
                      path));
  }
  std::stable_sort(files.begin(), files.end(), [](const auto &one, const auto &other) {
    return one.second.started < other.second.started;
  });
  Collector collector(query, {});
  for (const auto &[path, result] : files) {
    Run run = {.series = {class_name(result.environment), {}},
               .time = result.started,
               .accepted = true,
               .revision = result.tool.revision};
    collector.add(run, path, history_rows(result, {}));
  }
  return collector.take();
}

std::vector<Trend> read_trends(const TrendQuery &query)
{
  std::vector<Trend> trends =
      query.import.empty() ? trends_of_store(query) : trends_of_files(query);
  if (trends.empty() && !query.rows.empty())
    throw usage_error(
        fmt::format("no row of the history is '{}'", fmt::join(query.rows, "' or '")));
  return trends;
}

static std::vector<double> values_of(const Trend &trend)
{
  std::vector<double> values;
  for (const TrendPoint &point : trend.points)
    values.push_back(point.value);
  return values;
}

void find_changes(std::vector<Trend> &trends, double alpha, uint64_t seed)
{
  std::vector<double> p;
  double least_level = alpha / static_cast<double>(std::max<size_t>(1, trends.size()));
  for (Trend &trend : trends) {
    trend.p = change_p_value(values_of(trend), least_level, seed);
    p.push_back(trend.p);
  }
  std::vector<Holm> verdicts = holm(p, alpha);
  for (size_t i = 0; i < trends.size(); i++)
    trends[i].levels = verdicts[i].rejected
                           ? find_levels(values_of(trends[i]), verdicts[i].level, seed)
                           : one_level(values_of(trends[i]));
}

} // namespace gate
