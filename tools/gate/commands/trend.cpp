// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate trend: where the level of a row changed for good, and whether measuring again confirms it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/gate/commands/commands.h"
#include "tools/gate/judge/row_name.h"
#include "tools/gate/report/trend_output.h"
#include "tools/lib/atomic_file.h"

namespace gate
{

namespace
{

// The runs on both sides of changes, and the changes that lie between them.
struct Neighbours {
  int64_t before = 0;
  int64_t after = 0;
  auto operator<=>(const Neighbours &other) const = default;
};

struct Question {
  const Trend *trend = nullptr;
  size_t number = 0; // of the change
};

} // namespace

// The run next to the change on either side, certainly beyond it, that is still there in full.
// Nothing, and why, if there is none.
static std::optional<Neighbours> neighbours_of(const Question &question, std::string &why)
{
  const Trend &trend = *question.trend;
  const Change &change = trend.levels.changes[question.number];
  const Segment &old_level = trend.levels.segments[question.number];
  const Segment &new_level = trend.levels.segments[question.number + 1];
  const TrendPoint *before = nullptr, *after = nullptr;
  for (size_t i = old_level.begin; i < change.earliest; i++)
    if (trend.points[i].in_full)
      before = &trend.points[i];
  for (size_t i = new_level.end; i-- > change.latest;)
    if (trend.points[i].in_full)
      after = &trend.points[i];
  if (!before || !after)
    why = "the executables of the runs beside it are gone";
  else if (before->in_full == after->in_full)
    why = "the same executable on both sides: the machine changed, not the code";
  else
    return Neighbours{before->in_full, after->in_full};
  return std::nullopt;
}

static double change_to_prove(const std::vector<Question> &questions)
{
  double least = 0.1;
  for (const Question &question : questions)
    if (auto change = change_of(*question.trend, question.number))
      least = std::min(least, std::abs(*change));
  return least / 2;
}

// Prints what became of each change. Returns whether one for the worse is confirmed.
static bool tell(const std::vector<Question> &questions, const Report &report,
                 const Neighbours &runs)
{
  bool worse = false;
  for (const Question &question : questions) {
    const Trend &trend = *question.trend;
    std::string name = row_text(trend.name, trend.parameters, trend.metric);
    auto same = [&](const Row &row) {
      return row_text(row.name, row.parameters, row.metric) == name;
    };
    auto row = std::find_if(report.rows.begin(), report.rows.end(), same);
    if (row == report.rows.end()) {
      say("confirm: {}: run {} does not measure it\n", name, runs.after);
      continue;
    }
    say("confirm: {}: {}, run {} against run {}{}\n", name, to_string(row->verdict), runs.after,
        runs.before, row->change ? fmt::format(", {:+.1f} %", 100 * *row->change) : "");
    worse |= row->verdict == Verdict::Regressed;
  }
  return worse;
}

static bool confirm_between(const Options &options, const Neighbours &runs,
                            const std::vector<Question> &questions)
{
  Store store(options.store);
  std::string why;
  Run after = store.run(runs.after);
  std::optional<Artefact> bench = store.artefact(after.artefact, why);
  if (!bench) {
    say("confirm: run {}: {}\n", runs.after, why);
    return false;
  }
  Options own = options;
  own.bench = bench->path();
  own.bench_arguments = after.series.suite;
  own.tolerance = change_to_prove(questions);
  return tell(questions, check_against(own, store.recording(runs.before)), runs);
}

static bool confirm(const Options &options, const std::vector<Trend> &trends)
{
  std::map<Neighbours, std::vector<Question>> pairs;
  for (const Trend &trend : trends)
    for (size_t i = 0; i < trend.levels.changes.size(); i++) {
      std::string why;
      if (auto runs = neighbours_of({&trend, i}, why))
        pairs[*runs].push_back({&trend, i});
      else
        say("confirm: {}: {}\n", trend_name(trend), why);
    }
  bool worse = false;
  for (const auto &[runs, questions] : pairs)
    worse |= confirm_between(options, runs, questions);
  return worse;
}

static std::string machine_line(const std::vector<Trend> &trends, double alpha)
{
  size_t worse = 0, changes = 0, outliers = 0;
  for (const Trend &trend : trends) {
    changes += trend.levels.changes.size();
    outliers += trend.levels.outliers.size();
    for (size_t i = 0; i < trend.levels.changes.size(); i++)
      worse += is_worse(trend, i);
  }
  return fmt::format("gate: trend series={} changes={} worse={} outliers={} alpha={}\n",
                     trends.size(), changes, worse, outliers, alpha);
}

int trend(const Options &options)
{
  constexpr uint64_t seed = 1; // the same history always gives the same answer
  TrendQuery query = options.trend;
  query.store = options.store;
  std::vector<Trend> trends = read_trends(query);
  find_changes(trends, options.alpha, seed);
  if (!options.json.empty())
    write_file(options.json, trends_json(trends, options.alpha));
  std::string line = machine_line(trends, options.alpha);
  if (options.json != "-")
    write_file("-", trends.empty() ? "no history: gate record and gate check make it\n" + line
                                   : format_trends(trends) + line);
  if (trends.empty())
    return Exit::Incomplete;
  return options.confirm && confirm(options, trends) ? Exit::Regression : Exit::Passed;
}

} // namespace gate
