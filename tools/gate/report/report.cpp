// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tools/gate/report/layout.h"
#include "tools/gate/report/writing.h"

namespace gate
{

int exit_code(const Report &report)
{
  if (!report.skipped.empty())
    return report.policy.bisect ? Exit::Untestable : Exit::Skipped;
  if (!report.untrusted.empty())
    return report.policy.bisect ? Exit::Untestable : Exit::Incomplete;
  return exit_code(count_verdicts(report.rows), report.policy);
}

std::string overall(const Report &report)
{
  if (!report.skipped.empty())
    return "skipped";
  return report.untrusted.empty() ? overall(count_verdicts(report.rows)) : "untrusted";
}

std::string format_figure(double value, const std::string &unit)
{
  std::string number =
      std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
  return unit.empty() ? number : number + " " + unit;
}

std::map<std::string, std::set<std::string>> telling_parameters(const std::vector<Row> &rows)
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
      name += fmt::format(" {}={}", parameter, value.shown());
  return name;
}

std::vector<std::string> short_names(const std::vector<Row> &rows)
{
  auto telling = telling_parameters(rows);
  std::vector<std::string> names;
  for (const Row &row : rows)
    names.push_back(one_line(full_name(row, telling[row.name])));
  return names;
}

static std::string difference(const Row &row, double value, bool sign)
{
  if (!std::isfinite(value))
    return value < 0 ? "-inf" : "inf";
  double shown = row.relative ? 100 * value : value;
  int digits = row.method == "exact" ? 2 : 1;
  return sign ? fmt::format("{:+.{}f}", shown, digits) : fmt::format("{:.{}f}", shown, digits);
}

static std::string difference_unit(const Row &row)
{
  if (row.relative)
    return " %";
  return row.kind == result::Class::Ratio ? " points" : " " + row.unit;
}

std::string format_change(const Row &row)
{
  if (!row.change)
    return "-";
  if (!row.relative && row.kind != result::Class::Ratio && *row.change != 0)
    return "n/a (from 0)";
  return difference(row, *row.change, true) + difference_unit(row);
}

std::string format_interval(const Row &row)
{
  if (row.spread)
    return row.relative ? fmt::format("spread {:.0f} ppm", 1e6 * *row.spread)
                        : fmt::format("spread {:.3g}{}", *row.spread, difference_unit(row));
  if (!row.interval)
    return "-";
  return fmt::format("{} .. {}{}", difference(row, row.interval->low, true),
                     difference(row, row.interval->high, true), difference_unit(row));
}

std::string format_mde(const Row &row)
{
  return row.mde ? difference(row, *row.mde, false) + difference_unit(row) : "-";
}

std::string format_loads(const Row &row)
{
  return row.base_loads == row.comp_loads ? fmt::format("{}", row.base_loads)
                                          : fmt::format("{}/{}", row.base_loads, row.comp_loads);
}

std::string format_verdict(const Row &row)
{
  if (row.gated)
    return to_string(row.verdict);
  return row.secondary ? fmt::format("({})", to_string(row.verdict)) : "not gated";
}

std::vector<std::string> row_cells(const Row &row, const std::string &name)
{
  auto figure = [&](const std::optional<double> &value) {
    return value ? format_figure(*value, row.unit) : "-";
  };
  return {name,
          one_line(row.metric),
          figure(row.base),
          figure(row.comp),
          format_change(row),
          format_interval(row),
          format_mde(row),
          format_loads(row),
          format_verdict(row)};
}

std::string format_mean(const std::vector<Row> &rows)
{
  size_t used = 0;
  std::optional<double> mean = geometric_mean(rows, used);
  size_t gated = std::count_if(rows.begin(), rows.end(), [](const Row &row) { return row.gated; });
  if (!mean)
    return "";
  return fmt::format(
      "geometric mean of {} times: {:.1f} % {}{}\n", used, std::abs(100 * *mean),
      *mean > 0 ? "slower" : "faster",
      gated > used ? fmt::format(" ({} rows excluded: not a time, invalid, or on one side only)",
                                 gated - used)
                   : "");
}

std::string format_table(const Report &report)
{
  std::vector<std::vector<std::string>> lines = {
      {"benchmark", "metric", "base", "comp", "change", "interval", "MDE", "n", "verdict"}};
  std::vector<std::string> notes = {""};
  std::vector<std::string> names = short_names(report.rows);
  for (size_t i = 0; i < names.size(); i++) {
    const Row &row = report.rows[i];
    // Of no use to a reader: not judged, and no figures (a skip has its reason, though).
    if (!row.gated && !row.base && !row.comp && row.metric != "")
      continue;
    lines.push_back(row_cells(row, names[i]));
    notes.push_back(one_line(row.note));
  }
  std::string text;
  for (const std::string &remark : report.remarks)
    text += "note: " + one_line(remark) + "\n";
  if (!report.rows.empty())
    text += in_columns(lines, 2, notes);
  text += format_mean(report.rows);
  if (!report.skipped.empty())
    text += fmt::format("skipped: {}\n", report.skipped);
  if (!report.untrusted.empty())
    text += fmt::format("not a blocking gate: {}\n", report.untrusted);
  Counts counts = count_verdicts(report.rows);
  return text + machine_line(overall(report), counts, report.alpha) + "\n";
}

} // namespace gate
