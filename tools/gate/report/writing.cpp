// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/report/writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/gate/judge/row_name.h"
#include "tools/lib/json.h"

namespace gate
{

using result::json;

Outcome outcome_of(const Row &row, const Report &report)
{
  using enum Outcome;
  static constexpr std::array<Outcome, verdict_count> outcomes = {Fail, Error, Error, Error, Skip,
                                                                  Skip, Pass,  Pass,  Skip};
  if (row.verdict == Verdict::Regressed && (report.policy.advisory || !report.untrusted.empty()))
    return Skip;
  if (row.verdict == Verdict::Inconclusive && report.policy.strict)
    return Error;
  return outcomes[static_cast<size_t>(row.verdict)];
}

std::string run_error(const Report &report)
{
  if (!report.skipped.empty())
    return "";
  if (!report.untrusted.empty())
    return "this host is not to be trusted: " + one_line(report.untrusted);
  bool any =
      std::any_of(report.rows.begin(), report.rows.end(), [](const Row &row) { return row.gated; });
  return any ? "" : "nothing was compared";
}

std::vector<const Row *> worst_first(const Report &report)
{
  std::vector<const Row *> rows;
  for (const Row &row : report.rows)
    if (row.gated)
      rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row *a, const Row *b) { return a->verdict < b->verdict; });
  return rows;
}

std::string full_name(const Row &row, std::string_view before, std::string_view between)
{
  std::string name = row.name;
  for (const auto &[parameter, value] : row.parameters.items())
    name += fmt::format("{}{}{}{}", before, parameter, between, value.shown());
  return name;
}

std::string row_title(const Row &row)
{
  return one_line(row_text(row.name, row.parameters, row.metric));
}

static std::string counted(const Counts &counts, std::initializer_list<Verdict> verdicts)
{
  std::string text;
  for (Verdict verdict : verdicts)
    if (size_t count = counts[static_cast<size_t>(verdict)])
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_string(verdict));
  return text;
}

std::string headline(const Report &report)
{
  if (!report.skipped.empty())
    return "Nothing could be measured here: " + one_line(report.skipped);
  Counts counts = count_verdicts(report.rows);
  size_t gated = 0;
  for (size_t count : counts)
    gated += count;
  size_t regressed = counts[static_cast<size_t>(Verdict::Regressed)];
  std::string open = counted(counts, {Verdict::Invalid, Verdict::Missing, Verdict::Incomparable});
  std::string rest = counted(counts, {Verdict::Improved, Verdict::Unchanged, Verdict::Inconclusive,
                                      Verdict::Waived, Verdict::New});
  std::string text;
  if (!report.untrusted.empty())
    text = "This host is not to be trusted: " + one_line(report.untrusted);
  else if (regressed)
    text = fmt::format("{} of {} rows regressed{}", regressed, gated,
                       report.policy.advisory ? " (advice only)" : "");
  else if (exit_code(report) != Exit::Passed)
    text = gated ? "Not everything could be compared" : "Nothing was compared";
  else
    text = "No regression";
  for (const std::string &part : {open, rest})
    if (!part.empty())
      text += (text.find(';') == text.npos ? "; " : ", ") + part;
  return text;
}

std::string format_tolerance(const Row &row)
{
  if (row.relative)
    return fmt::format("{:.4g} %", 100 * row.tolerance);
  return format_figure(row.tolerance,
                       row.kind == result::Class::Ratio ? "points" : one_line(row.unit));
}

std::string describe(const Row &row)
{
  std::string text;
  if (row.comp)
    text = format_figure(*row.comp, row.unit);
  if (row.base)
    text += (text.empty() ? "was " : ", was ") + format_figure(*row.base, row.unit);
  if (row.change)
    text += ": " + format_change(row);
  if (row.interval)
    text += " (" + format_interval(row) + ")";
  if (row.change && row.method != "exact")
    text += ", tolerance " + format_tolerance(row);
  if (!row.note.empty())
    text += (text.empty() ? "" : "; ") + row.note;
  return one_line(text);
}

std::string replaced(const std::string &text, const Replacements &replacements)
{
  std::string out;
  for (char c : text)
    if (auto found = replacements.find(c); found != replacements.end())
      out += found->second;
    else
      out += c;
  return out;
}

std::string one_line(const std::string &text)
{
  // The library knows what valid UTF-8 is.
  std::string line = json::parse(result::json_text(text)).get<std::string>();
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return line;
}

MeanStddev mean_stddev(const std::vector<double> &values)
{
  double mean = 0, squares = 0;
  for (double value : values)
    mean += value / values.size();
  for (double value : values)
    squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? std::sqrt(squares / (values.size() - 1)) : 0};
}

std::string environment_text(const Value &environment, const char *name)
{
  const Value *found = environment.find(name);
  return found && !found->is_null() ? one_line(found->shown()) : "";
}

} // namespace gate
