// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// For GitHub: the summary of a step in Markdown, and annotations as workflow commands.
#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/report/writers/writers.h"
#include "tools/gate/report/writing.h"

namespace gate
{

// No text of a report becomes markup: HTML by entities, Markdown by backslashes. A backslash before
// ASCII punctuation is only that punctuation, also in a table's cell.
static std::string escape(const std::string &text)
{
  Replacements markup = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}};
  for (char c : std::string_view("\\`*_{}[]#|~!@:"))
    markup[c] = std::string("\\") + c;
  return replaced(one_line(text), markup);
}

static std::string table_line(const Row &row, const std::string &name)
{
  std::vector<std::string> cells = row_cells(row, name);
  if (!row.note.empty())
    cells.back() += ": " + row.note;
  std::transform(cells.begin(), cells.end(), cells.begin(), escape);
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

static std::string table(const std::vector<std::string> &lines)
{
  std::string text =
      "| benchmark | metric | base | comp | change | interval | MDE | n | verdict |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
  for (const std::string &line : lines)
    text += line;
  return text + "\n";
}

static std::string folded(const std::string &title, const std::string &text)
{
  return fmt::format("<details><summary>{}</summary>\n\n{}</details>\n\n", title, text);
}

static bool needs_attention(const Row &row)
{
  return row.gated && row.verdict <= Verdict::Incomparable;
}

std::string format_markdown(const Report &report)
{
  std::vector<std::string> names = short_names(report.rows);
  std::vector<std::string> attention, others;
  for (const Row *row : worst_first(report))
    if (needs_attention(*row))
      attention.push_back(table_line(*row, names[row - report.rows.data()]));
  for (size_t i = 0; i < names.size(); i++)
    if (const Row &row = report.rows[i]; !needs_attention(row) && (row.base || row.comp))
      others.push_back(table_line(row, names[i]));
  std::string text =
      fmt::format("## gate {}: {}\n\n", escape(report.command), escape(headline(report)));
  if (!attention.empty())
    text += table(attention);
  if (!others.empty())
    text += folded(fmt::format("{} other rows", others.size()), table(others));
  if (std::string mean = format_mean(report.rows); !mean.empty())
    text += escape(mean) + "\n\n";
  std::string remarks;
  for (const std::string &remark : report.remarks)
    remarks += "- " + escape(remark) + "\n";
  if (!remarks.empty())
    text += folded("Remarks about the run", remarks + "\n");
  return text;
}

// ---- workflow commands ----

static std::string command_text(const std::string &text)
{
  return replaced(text, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}});
}

// Which file and line would have to change is not known: a benchmark is no source.
static std::string annotation(const char *level, const std::string &title, const std::string &text)
{
  std::string property = replaced(command_text(title), {{':', "%3A"}, {',', "%2C"}});
  return fmt::format("::{} title={}::{}\n", level, property, command_text(text));
}

static const char *level_of(const Row &row, const Report &report)
{
  if (row.verdict == Verdict::Waived)
    return "notice";
  bool fails = outcome_of(row, report) == Outcome::Fail || row.verdict == Verdict::Invalid;
  return fails && !report.policy.advisory ? "error" : "warning";
}

std::string format_annotations(const Report &report)
{
  std::string text;
  for (const Row *row : worst_first(report)) {
    if (!needs_attention(*row) && row->verdict != Verdict::Waived)
      continue;
    text +=
        annotation(level_of(*row, report),
                   fmt::format("{}: {}", to_string(row->verdict), row_title(*row)), describe(*row));
  }
  if (std::string error = run_error(report); !error.empty())
    text += annotation("error", "gate " + report.command, error);
  if (!report.skipped.empty())
    text += annotation("notice", "gate " + report.command, headline(report));
  return text;
}

} // namespace gate
