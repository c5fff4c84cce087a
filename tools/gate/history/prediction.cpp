// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/prediction.h"

#include <algorithm>
#include <cmath>

#include "tools/gate/statistics/change_points.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/lib/distributions.h"

namespace gate
{

using Points = std::vector<RunHistory::Point>;
using Values = std::vector<double>;

// Of older ones the host may have been another.
static constexpr size_t most_runs = 50;

std::string code_identity(const std::string &revision, const std::string &artefact)
{
  bool certain = !revision.empty() && revision != "unknown" && !revision.ends_with("-dirty");
  return certain ? revision : "executable " + artefact;
}

RunHistory::RunHistory(const Store &store, const std::string &class_name)
{
  std::map<int64_t, std::vector<HistoryRow>> rows = store.rows(class_name);
  for (const Run &run : store.runs()) {
    if (run.series.class_name != class_name || !run.accepted || run.how != How::Alone)
      continue;
    for (const HistoryRow &row : rows[run.id])
      if (row.gated && row.kind == result::Class::Time && row.center > 0 &&
          row.verdict != to_string(Verdict::Inconclusive))
        x_rows[{row.key, row.metric}].push_back({.log = std::log(row.center),
                                                 .run = run.id,
                                                 .code = code_identity(run.revision, run.artefact),
                                                 .unit = row.unit,
                                                 .definition = row.definition,
                                                 .new_level = run.new_level});
  }
}

const Points &RunHistory::points(const RowName &row) const
{
  static const Points none;
  auto found = x_rows.find(row);
  return found == x_rows.end() ? none : found->second;
}

// Numbers the levels of points [begin, end) from level on. Returns the next number.
static size_t number_levels(Points &points, size_t begin, size_t end, size_t level)
{
  constexpr double alpha = 0.01;
  constexpr uint64_t seed = 1;
  Values logs;
  for (size_t i = begin; i < end; i++)
    logs.push_back(points[i].log);
  for (const Segment &segment : find_levels(logs, alpha, seed).segments) {
    for (size_t i = segment.begin; i < segment.end; i++)
      points[begin + i].level = level;
    level++;
  }
  return level;
}

// The newest ones with the present unit and definition, by levels.
static Points usable_points(const Points &all, int definition)
{
  Points points;
  for (const RunHistory::Point &point : all)
    if (point.definition == definition && point.unit == all.back().unit)
      points.push_back(point);
  size_t surplus = points.size() - std::min(points.size(), most_runs);
  points.erase(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(surplus));
  size_t begin = 0, level = 0;
  for (size_t i = 1; i <= points.size(); i++)
    if (i == points.size() || points[i].new_level) {
      level = number_levels(points, begin, i, level);
      begin = i;
    }
  return points;
}

namespace
{

struct Center {
  double value = 0;
  size_t runs = 0;
};

class Predictor {
public:
  explicit Predictor(Points points) : x_points(std::move(points)) {}

  // Points that have others of their level, less one for each such level.
  size_t freedom() const
  {
    std::map<size_t, size_t> sizes;
    for (const RunHistory::Point &point : x_points)
      sizes[point.level]++;
    size_t freedom = 0;
    for (const auto &[level, size] : sizes)
      freedom += size - 1;
    return freedom;
  }

  Prediction predict(const std::string &code) const
  {
    Center center = center_of(x_points.size(), x_points.back().level, code);
    return {.center = center.value,
            .sigma = error(),
            .runs = x_points.size(),
            .freedom = freedom(),
            .at_center = center.runs,
            .unit = x_points.back().unit};
  }

private:
  // The median of what other code gave at that level, or else of everything there but the point
  // that is left out.
  Center center_of(size_t left_out, size_t level, const std::string &code) const
  {
    Values other, rest;
    for (size_t i = 0; i < x_points.size(); i++) {
      if (x_points[i].level != level)
        continue;
      if (i != left_out)
        rest.push_back(x_points[i].log);
      if (x_points[i].code != code)
        other.push_back(x_points[i].log);
    }
    const Values &chosen = other.empty() ? rest : other;
    return {median(chosen), chosen.size()};
  }

  // Root mean square of the errors that were made on each point without knowing it, as sigma of
  // one run: the uncertainty of the centre is taken out, and comes back in Prediction::scale().
  double error() const
  {
    double squares = 0, count = 0;
    for (size_t i = 0; i < x_points.size(); i++) {
      Center center = center_of(i, x_points[i].level, x_points[i].code);
      if (center.runs == 0)
        continue;
      double error = x_points[i].log - center.value;
      squares += error * error / (1 + 1.0 / static_cast<double>(center.runs));
      count++;
    }
    return std::sqrt(squares / count);
  }

  Points x_points;
};

} // namespace

// Those that have others of their level.
static size_t usable_runs(const Points &points)
{
  return std::count_if(points.begin(), points.end(), [&](const RunHistory::Point &point) {
    return std::count_if(points.begin(), points.end(), [&](const RunHistory::Point &other) {
             return other.level == point.level;
           }) > 1;
  });
}

double Prediction::scale() const
{
  return sigma * std::sqrt(1 + 1.0 / static_cast<double>(at_center));
}

double Prediction::half_width(double level) const
{
  return std::expm1(distributions::students_t_upper_quantile(freedom, level) * scale());
}

// The distance of two runs, instead of one to the centre of many.
static std::optional<Prediction> from_one_run(const Points &points, const RowName &row,
                                              const NewRun &run)
{
  auto from = run.from->find(row);
  if (from == run.from->end())
    return std::nullopt;
  Prediction prediction = Predictor(points).predict(run.code);
  prediction.center = from->second;
  prediction.at_center = 1;
  return prediction;
}

std::optional<Prediction> predict(const RunHistory &history, const RowName &row, const NewRun &run,
                                  size_t &usable)
{
  Points points = usable_points(history.points(row), run.definitions.at(row));
  usable = std::max(usable_runs(points), std::min<size_t>(1, points.size()));
  if (usable < fewest_runs)
    return std::nullopt;
  if (run.from)
    return from_one_run(points, row, run);
  return Predictor(std::move(points)).predict(run.code);
}

namespace
{

class Predicted : public Evidence {
public:
  Predicted(const Prediction &prediction, double comp_log, double tolerance, result::Better better)
      : x_freedom(static_cast<double>(prediction.freedom)), x_scale(prediction.scale()),
        x_limit(std::log1p(tolerance)), x_flip(better == result::Better::Higher),
        x_worse(x_flip ? prediction.center - comp_log : comp_log - prediction.center)
  {
  }

  double p_worse() const override { return above(x_worse - x_limit); }
  double p_better() const override { return above(-x_limit - x_worse); }
  double p_not_worse() const override { return above(x_limit - x_worse); }
  double change() const override { return shown(x_worse); }

  Interval interval(double level) const override
  {
    double half = quantile(level) * x_scale;
    double low = shown(x_worse - half), high = shown(x_worse + half);
    return {std::min(low, high), std::max(low, high)};
  }

  double mde(double test_level) const override
  {
    return std::expm1(x_limit + (quantile(test_level) + quantile(0.1)) * x_scale);
  }

  // More loads would make this run's figure no more alike to earlier ones.
  std::optional<size_t> units_needed(double, double) const override { return std::nullopt; }

private:
  // How likely noise alone is to exceed that distance.
  double above(double distance) const
  {
    if (x_scale == 0)
      return distance > 0 ? 0 : 1;
    return distributions::students_t_upper_tail(x_freedom, distance / x_scale);
  }
  double quantile(double level) const
  {
    return distributions::students_t_upper_quantile(x_freedom, level);
  }
  double shown(double log) const { return std::expm1(x_flip ? -log : log); }

  double x_freedom;
  double x_scale;
  double x_limit;
  bool x_flip;
  double x_worse;
};

} // namespace

std::unique_ptr<Evidence> predicted_evidence(const Prediction &prediction, double comp_log,
                                             double tolerance, result::Better better)
{
  return std::make_unique<Predicted>(prediction, comp_log, tolerance, better);
}

} // namespace gate
