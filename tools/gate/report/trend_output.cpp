// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/report/trend_output.h"

#include <fmt/format.h>

#include <cmath>

#include "tools/gate/judge/row_name.h"
#include "tools/gate/report/layout.h"
#include "tools/gate/report/report.h"
#include "tools/lib/json.h"

namespace gate
{

using result::Better;
using result::json;

std::optional<double> change_of(const Trend &trend, size_t number)
{
  double before = trend.levels.segments.at(number).center;
  double after = trend.levels.segments.at(number + 1).center;
  return before == 0 ? std::nullopt : std::optional(after / before - 1);
}

bool is_worse(const Trend &trend, size_t number)
{
  double before = trend.levels.segments.at(number).center;
  double after = trend.levels.segments.at(number + 1).center;
  return trend.better == Better::Higher  ? after < before
         : trend.better == Better::Lower ? after > before
                                         : false;
}

std::string trend_name(const Trend &trend)
{
  return row_text(trend.name, trend.parameters, trend.metric) +
         (trend.how == How::Interleaved ? " (interleaved)" : "");
}

static std::string levels_shown(const Trend &trend)
{
  std::string text;
  for (const Segment &segment : trend.levels.segments)
    text += fmt::format("{}{}", text.empty() ? "" : " > ", format_figure(segment.center, ""));
  return text.empty() ? "-" : text + " " + trend.unit;
}

// Relative to the last level.
static std::string spread_shown(const Trend &trend)
{
  if (trend.levels.segments.empty())
    return "-";
  const Segment &last = trend.levels.segments.back();
  return last.center == 0 ? "-" : fmt::format("{:.1f} %", 100 * last.spread / last.center);
}

static std::string place_shown(const TrendPoint &point)
{
  std::string text = point.label;
  if (!point.time.empty())
    text += " " + point.time;
  if (!point.revision.empty())
    text += " " + point.revision;
  return text;
}

static std::string change_lines(const Trend &trend)
{
  std::string text;
  for (size_t i = 0; i < trend.levels.changes.size(); i++) {
    const Change &change = trend.levels.changes[i];
    std::optional<double> by = change_of(trend, i);
    text += fmt::format("{}: {} from {}, p={:.2g}\n", trend_name(trend),
                        by ? fmt::format("{:+.1f} %", 100 * *by) : "changed from 0",
                        place_shown(trend.points[change.first]), change.p);
    if (change.earliest != change.latest)
      text += fmt::format("    with 95 %: from {} to {}\n", trend.points[change.earliest].label,
                          trend.points[change.latest].label);
    for (size_t j = change.earliest; j <= change.latest; j++)
      if (!trend.points[j].accepted_as.empty())
        text += fmt::format("    accepted: {}\n", trend.points[j].accepted_as);
  }
  return text;
}

std::string format_trends(const std::vector<Trend> &trends)
{
  std::vector<std::vector<std::string>> lines = {
      {"row", "runs", "gaps", "outliers", "levels", "spread", "p"}};
  for (const Trend &trend : trends)
    lines.push_back({trend_name(trend), std::to_string(trend.points.size()),
                     std::to_string(trend.gaps.size()),
                     std::to_string(trend.levels.outliers.size()), levels_shown(trend),
                     spread_shown(trend), fmt::format("{:.2g}", trend.p)});
  std::string text = in_columns(lines);
  for (const Trend &trend : trends) {
    if (!trend.gaps.empty())
      text += fmt::format("{}: {} gaps, the first at {}: {}\n", trend_name(trend),
                          trend.gaps.size(), trend.gaps.front().label, trend.gaps.front().gap);
    text += change_lines(trend);
  }
  return text;
}

static json point_json(const TrendPoint &point)
{
  json value = json::object();
  if (std::isfinite(point.value))
    value["value"] = point.value;
  value["label"] = point.label;
  for (const auto &[name, text] : {std::pair("time", &point.time), {"revision", &point.revision}})
    if (!text->empty())
      value[name] = *text;
  if (point.run)
    value["run"] = point.run;
  value["accepted"] = point.accepted;
  if (!point.gap.empty())
    value["gap"] = point.gap;
  return value;
}

static json points_json(const std::vector<TrendPoint> &points)
{
  json list = json::array();
  for (const TrendPoint &point : points)
    list.push_back(point_json(point));
  return list;
}

static json changes_json(const Trend &trend)
{
  json list = json::array();
  for (size_t i = 0; i < trend.levels.changes.size(); i++) {
    const Change &change = trend.levels.changes[i];
    std::optional<double> by = change_of(trend, i);
    list.push_back({{"first", change.first},
                    {"earliest", change.earliest},
                    {"latest", change.latest},
                    {"p", change.p},
                    {"change", by ? json(*by) : json()},
                    {"worse", is_worse(trend, i)}});
  }
  return list;
}

static json trend_json(const Trend &trend)
{
  json segments = json::array();
  for (const Segment &segment : trend.levels.segments)
    segments.push_back({{"begin", segment.begin},
                        {"end", segment.end},
                        {"center", segment.center},
                        {"spread", segment.spread}});
  return {{"class", trend.class_name},
          {"interleaved", trend.how == How::Interleaved},
          {"name", trend.name},
          {"parameters", trend.parameters},
          {"metric", trend.metric},
          {"unit", trend.unit},
          {"better", result::to_string(trend.better)},
          {"p", trend.p},
          {"points", points_json(trend.points)},
          {"gaps", points_json(trend.gaps)},
          {"changes", changes_json(trend)},
          {"segments", segments},
          {"outliers", trend.levels.outliers}};
}

std::string trends_json(const std::vector<Trend> &trends, double alpha)
{
  json value = {{"schema", "bpfgate-trend"}, {"version", 1}, {"alpha", alpha}};
  value["series"] = json::array();
  for (const Trend &trend : trends)
    value["series"].push_back(trend_json(trend));
  return result::json_text(value, 1) + "\n";
}

} // namespace gate
