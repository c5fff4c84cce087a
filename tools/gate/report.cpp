// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace gate
{

using result::json;

static constexpr size_t column_count = 9;
using Line = std::array<std::string, column_count>;

int exit_code(const Report &report)
{
  if (!report.skipped.empty())
    return report.policy.bisect ? Exit::Untestable : Exit::Skipped;
  if (!report.untrusted.empty())
    return report.policy.bisect ? Exit::Untestable : Exit::Incomplete;
  return exit_code(count_verdicts(report.rows), report.policy);
}

static std::string overall(const Report &report, const Counts &counts)
{
  if (!report.skipped.empty())
    return "skipped";
  return report.untrusted.empty() ? overall(counts) : "untrusted";
}

std::string format_figure(double value, const std::string &unit)
{
  std::string number =
      std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
  return unit.empty() ? number : number + " " + unit;
}

// Which parameters tell the rows of one name apart.
static std::map<std::string, std::set<std::string>> telling_parameters(const std::vector<Row> &rows)
{
  std::map<std::string, std::map<std::string, std::set<std::string>>> values;
  for (const Row &row : rows)
    for (const auto &[parameter, value] : row.parameters.items())
      values[row.name][parameter].insert(value.dump());
  std::map<std::string, std::set<std::string>> telling;
  for (const auto &[name, parameters] : values)
    for (const auto &[parameter, seen] : parameters)
      if (seen.size() > 1)
        telling[name].insert(parameter);
  return telling;
}

static std::string full_name(const Row &row, const std::set<std::string> &telling)
{
  std::string name = row.name;
  for (const auto &[parameter, value] : row.parameters.items())
    if (telling.count(parameter))
      name += fmt::format(" {}={}", parameter,
                          value.is_string() ? value.get<std::string>() : value.dump());
  return name;
}

static std::string difference(const Row &row, double value, bool sign)
{
  if (!std::isfinite(value))
    return value < 0 ? "-inf" : "inf";
  double shown = row.relative ? 100 * value : value;
  return sign ? fmt::format("{:+.1f}", shown) : fmt::format("{:.1f}", shown);
}

static std::string difference_unit(const Row &row)
{
  if (row.relative)
    return " %";
  return row.kind == result::Class::Ratio ? " points" : " " + row.unit;
}

static std::string format_change(const Row &row)
{
  if (!row.change)
    return "-";
  if (!row.relative && row.kind != result::Class::Ratio && *row.change != 0)
    return "n/a (from 0)";
  return difference(row, *row.change, true) + difference_unit(row);
}

static std::string format_interval(const Row &row)
{
  if (!row.interval)
    return "-";
  return fmt::format("{} .. {}{}", difference(row, row.interval->low, true),
                     difference(row, row.interval->high, true), difference_unit(row));
}

static Line make_line(const Row &row, const std::set<std::string> &telling)
{
  auto figure = [&](const std::optional<double> &value) {
    return value ? format_figure(*value, row.unit) : "-";
  };
  std::string loads = row.base_loads == row.comp_loads
                          ? fmt::format("{}", row.base_loads)
                          : fmt::format("{}/{}", row.base_loads, row.comp_loads);
  return {full_name(row, telling),
          row.metric,
          figure(row.base),
          figure(row.comp),
          format_change(row),
          format_interval(row),
          row.mde ? difference(row, *row.mde, false) + difference_unit(row) : "-",
          loads,
          !row.gated && row.secondary ? fmt::format("({})", to_string(row.verdict))
          : row.gated                 ? to_string(row.verdict)
                                      : "not gated"};
}

static std::string layout(const std::vector<Line> &lines, const std::vector<std::string> &notes)
{
  std::array<size_t, column_count> widths = {};
  for (const Line &line : lines)
    for (size_t i = 0; i < column_count; i++)
      widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (size_t n = 0; n < lines.size(); n++) {
    for (size_t i = 0; i + 1 < column_count; i++)
      text += i < 2 ? fmt::format("{:<{}}  ", lines[n][i], widths[i])
                    : fmt::format("{:>{}}  ", lines[n][i], widths[i]);
    text += lines[n][column_count - 1] + "\n";
    if (!notes[n].empty())
      text += "    " + notes[n] + "\n";
  }
  return text;
}

static std::string format_mean(const std::vector<Row> &rows)
{
  size_t used = 0;
  std::optional<double> mean = geometric_mean(rows, used);
  size_t gated = std::count_if(rows.begin(), rows.end(), [](const Row &row) { return row.gated; });
  if (!mean)
    return "";
  return fmt::format(
      "geometric mean of {} times: {:.1f} % {}{}\n", used, std::abs(100 * *mean),
      *mean > 0 ? "slower" : "faster",
      gated > used ? fmt::format(" ({} rows are no times or have no pair)", gated - used) : "");
}

std::string format_table(const Report &report)
{
  std::vector<Line> lines = {
      {"benchmark", "metric", "base", "comp", "change", "interval", "MDE", "n", "verdict"}};
  std::vector<std::string> notes = {""};
  auto telling = telling_parameters(report.rows);
  for (const Row &row : report.rows) {
    // Of no use to a reader: not judged, and no figures (a skip has its reason, though).
    if (!row.gated && !row.base && !row.comp && row.metric != "")
      continue;
    lines.push_back(make_line(row, telling[row.name]));
    notes.push_back(row.note);
  }
  std::string text;
  for (const std::string &remark : report.remarks)
    text += "note: " + remark + "\n";
  if (!report.rows.empty())
    text += layout(lines, notes);
  text += format_mean(report.rows);
  if (!report.skipped.empty())
    text += fmt::format("skipped: {}\n", report.skipped);
  if (!report.untrusted.empty())
    text += fmt::format("not a blocking gate: {}\n", report.untrusted);
  Counts counts = count_verdicts(report.rows);
  return text + machine_line(overall(report, counts), counts, report.alpha) + "\n";
}

static json number(const std::optional<double> &value)
{
  return value && std::isfinite(*value) ? json(*value) : json();
}

static json tests_json(const std::optional<Tests> &tests)
{
  if (!tests)
    return {};
  return {{"p_worse", tests->p_worse},
          {"p_better", tests->p_better},
          {"p_not_worse", tests->p_not_worse},
          {"level", tests->level},
          {"proof_level", tests->proof_level},
          {"family", tests->family},
          {"units_needed", tests->units_needed ? json(*tests->units_needed) : json()}};
}

static json row_json(const Row &row)
{
  json interval;
  if (row.interval)
    interval = {number(row.interval->low), number(row.interval->high)};
  return {{"name", row.name},
          {"parameters", row.parameters},
          {"metric", row.metric},
          {"unit", row.unit},
          {"better", result::to_string(row.better)},
          {"class", result::to_string(row.kind)},
          {"gated", row.gated},
          {"secondary", row.secondary},
          {"verdict", row.gated || row.secondary ? json(to_string(row.verdict)) : json()},
          {"note", row.note},
          {"method", row.method.empty() ? json() : json(row.method)},
          {"base", number(row.base)},
          {"comp", number(row.comp)},
          {"base_loads", row.base_loads},
          {"comp_loads", row.comp_loads},
          {"scale", row.relative ? "fraction" : "difference"},
          {"change", number(row.change)},
          {"interval", interval},
          {"level", row.level > 0 ? json(row.level) : json()},
          {"tolerance", row.tolerance},
          {"mde", number(row.mde)},
          {"tests", tests_json(row.tests)},
          {"same_bytecode", row.same_bytecode}};
}

std::string format_json(const Report &report)
{
  Counts counts = count_verdicts(report.rows);
  json count_object = json::object();
  for (size_t i = 0; i < verdict_count; i++)
    count_object[to_string(static_cast<Verdict>(i))] = counts[i];
  size_t used = 0;
  std::optional<double> mean = geometric_mean(report.rows, used);
  json rows = json::array();
  for (const Row &row : report.rows)
    rows.push_back(row_json(row));
  json value = {{"schema", "bpfgate-report"},
                {"version", 1},
                {"command", report.command},
                {"verdict", overall(report, counts)},
                {"exit_code", exit_code(report)},
                {"alpha", report.alpha},
                {"seed", report.command == "compare" ? json() : json(report.seed)},
                {"advisory", report.policy.advisory},
                {"untrusted", report.untrusted.empty() ? json() : json(report.untrusted)},
                {"counts", count_object},
                {"geometric_mean", {{"change", number(mean)}, {"rows", used}}},
                {"remarks", report.remarks},
                {"rows", rows}};
  return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace gate
