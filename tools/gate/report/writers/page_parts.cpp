// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The sections of the page.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "tools/gate/report/writers/page.h"
#include "tools/gate/report/writing.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/lib/json.h"

namespace gate::page
{

using result::json;

std::string escape(const std::string &text)
{
  return replaced(one_line(text),
                  {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string script_json(const json &value)
{
  return replaced(result::json_text(value), {{'<', "\\u003c"}, {'>', "\\u003e"}});
}

// A shape and a word: never colour alone.
static std::string badge(const Row &row)
{
  if (!row.gated)
    return fmt::format("<span class=\"badge\">{}</span>", format_verdict(row));
  static constexpr std::array<const char *, verdict_count> shapes = {"▲", "✕", "✕", "✕", "○",
                                                                     "○", "▼", "●", "○"};
  return fmt::format("<span class=\"badge {0}\"><span aria-hidden=\"true\">{1} </span>{0}</span>",
                     to_string(row.verdict), shapes[static_cast<size_t>(row.verdict)]);
}

bool has_plot(const Row &row)
{
  return finite(row.base_samples).size() + finite(row.comp_samples).size() >= 2;
}

static bool is_shown(const Row &row) { return row.gated || row.base || row.comp; }

static std::string row_id(size_t index) { return fmt::format("row{}", index); }

static std::string link(size_t index, const Row &row, const std::string &name)
{
  std::string text = escape(name + (row.metric.empty() ? "" : " " + row.metric));
  return has_plot(row) ? fmt::format("<a href=\"#{}\">{}</a>", row_id(index), text) : text;
}

// ---- the verdict ----

static const char *exit_meaning(int code)
{
  static const std::map<int, const char *> meanings = {
      {Exit::Passed, "nothing regressed and everything was compared"},
      {Exit::Regression, "at least one regression"},
      {Exit::Incomplete, "something was missing, invalid or incomparable, nothing was compared, or "
                         "the host is not to be trusted"},
      {Exit::Skipped, "nothing could be measured"},
  };
  auto found = meanings.find(code);
  return found == meanings.end() ? "" : found->second;
}

static std::string attention_item(size_t index, const Row &row, const std::string &name)
{
  std::string text = fmt::format("<li>{} {}", badge(row), link(index, row, name));
  if (row.change)
    text += fmt::format(": <strong>{}</strong>", escape(format_change(row)));
  if (row.interval)
    text += fmt::format(" (between {})", escape(format_interval(row)));
  if (row.base && row.comp)
    text += escape(fmt::format(", from {} to {}; tolerance {}", format_figure(*row.base, row.unit),
                               format_figure(*row.comp, row.unit), format_tolerance(row)));
  if (!row.note.empty())
    text += fmt::format("<br><span class=\"note\">{}</span>", escape(row.note));
  return text + "</li>\n";
}

static std::string attention_list(const Report &report, const std::vector<std::string> &names)
{
  std::string items;
  for (const Row *row : worst_first(report))
    if (row->verdict != Verdict::Inconclusive && row->verdict < Verdict::Unchanged) {
      size_t place = row - report.rows.data();
      items += attention_item(place, *row, names[place]);
    }
  return items.empty() ? "" : "<ul class=\"attention\">\n" + items + "</ul>\n";
}

std::string verdict_section(const Report &report, const std::vector<std::string> &names)
{
  int code = exit_code(report);
  std::string when = report.started.empty() ? "" : ", " + escape(report.started);
  std::string mean = format_mean(report.rows);
  if (!mean.empty())
    mean = "<p>" + escape("Over all: " + mean) + "</p>\n";
  return fmt::format("<header class=\"verdict exit{0}\">\n"
                     "<p class=\"command\">gate {1}{2}</p>\n"
                     "<h1 id=\"verdict\">{3}</h1>\n"
                     "<p>Exit code {0}: {4}.</p>\n{5}</header>\n{6}",
                     code, escape(report.command), when, escape(headline(report)),
                     exit_meaning(code), mean, attention_list(report, names));
}

// ---- all changes in one plot, and the table ----

std::string overview_section(const Report &report)
{
  size_t drawn = std::count_if(report.rows.begin(), report.rows.end(), [](const Row &row) {
    return row.gated && row.relative && row.change;
  });
  if (drawn == 0)
    return "";
  return fmt::format(
      "<section>\n<h2>Changes</h2>\n<figure class=\"card\">\n"
      "<div class=\"plot\" id=\"forest\" role=\"img\" aria-label=\"The changes of {} rows with "
      "their intervals; the table below has the same figures.\"></div>\n"
      "<figcaption>comp against base, percent. A mark is the estimate, its line the interval, the "
      "shaded band the tolerance to either side.<noscript> The plots need JavaScript; the tables "
      "do not.</noscript></figcaption>\n</figure>\n</section>\n",
      drawn);
}

static std::string cell(const char *label, const std::string &text, const char *kind = "num")
{
  return fmt::format("<td class=\"{}\" data-label=\"{}\">{}</td>", kind, label, text);
}

static std::string table_row(size_t index, const Row &row, const std::string &name)
{
  std::string note =
      row.note.empty() ? "" : fmt::format("<br><span class=\"note\">{}</span>", escape(row.note));
  std::string line = fmt::format("<tr><th scope=\"row\">{}{}</th>", link(index, row, name), note);
  std::vector<std::string> cells = row_cells(row, name);
  size_t place = 2; // behind name and metric
  for (const char *label : {"base", "comp", "change", "interval", "MDE", "loads"})
    line += cell(label, escape(cells[place++]));
  return line + cell("verdict", badge(row), "verdict") + "</tr>\n";
}

std::string table_section(const Report &report, const std::vector<std::string> &names)
{
  std::string rows;
  for (size_t i = 0; i < names.size(); i++)
    if (is_shown(report.rows[i]))
      rows += table_row(i, report.rows[i], names[i]);
  if (rows.empty())
    return "";
  return "<section>\n<h2>All rows</h2>\n<table class=\"rows\">\n<thead><tr><th "
         "scope=\"col\">benchmark</th><th scope=\"col\">base</th><th scope=\"col\">comp</th><th "
         "scope=\"col\">change</th><th scope=\"col\">interval</th><th scope=\"col\">MDE</th><th "
         "scope=\"col\">loads</th><th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody>\n</table>\n</section>\n";
}

// ---- one benchmark ----

static std::string describe_side(const char *side, const std::vector<double> &samples,
                                 const std::string &unit)
{
  std::vector<double> loads = finite(samples);
  if (loads.empty())
    return fmt::format("{}: no figures", side);
  auto [low, high] = std::minmax_element(loads.begin(), loads.end());
  return fmt::format("{}: median {} of {} loads, from {} to {}", side,
                     format_figure(median(loads), unit), loads.size(), format_figure(*low, unit),
                     format_figure(*high, unit));
}

static std::string benchmark_card(size_t index, const Row &row, const std::string &name)
{
  std::string caption = describe_side("base", row.base_samples, row.unit) + "; " +
                        describe_side("comp", row.comp_samples, row.unit) + ".";
  if (row.change && row.interval)
    caption += fmt::format(" Change {} ({}).", format_change(row), format_interval(row));
  std::string title = name + " " + row.metric;
  return fmt::format("<figure class=\"card\" id=\"{}\">\n<h3>{} {}</h3>\n"
                     "<div class=\"plot\" data-row=\"{}\" role=\"img\" aria-label=\"{}\"></div>\n"
                     "<figcaption>{}</figcaption>\n</figure>\n",
                     row_id(index), escape(title), badge(row), index,
                     escape("Figures of each load of " + title), escape(caption));
}

std::string benchmarks_section(const Report &report, const std::vector<std::string> &names)
{
  std::string cards;
  for (size_t i = 0; i < names.size(); i++)
    if (has_plot(report.rows[i]))
      cards += benchmark_card(i, report.rows[i], names[i]);
  if (cards.empty())
    return "";
  return "<section>\n<h2>Each benchmark</h2>\n<p>One dot per load: a fresh object with fresh maps. "
         "Circles are base, dots are comp, a tall mark is the median. The line below them is the "
         "interval of the change, laid out from the median of base; the dashed line is how far "
         "comp may get worse.</p>\n<div class=\"cards\">\n" +
         cards + "</div>\n</section>\n";
}

json plot_data(const Report &report, const std::vector<std::string> &names)
{
  json rows = json::array();
  for (size_t i = 0; i < names.size(); i++) {
    const Row &row = report.rows[i];
    json interval;
    if (row.interval)
      interval = {row.interval->low, row.interval->high};
    rows.push_back({{"name", one_line(names[i] + " " + row.metric)},
                    {"unit", one_line(row.unit)},
                    {"gated", row.gated},
                    {"verdict", to_string(row.verdict)},
                    {"higher", row.better == result::Better::Higher},
                    {"relative", row.relative},
                    {"change", row.change ? json(*row.change) : json()},
                    {"interval", interval},
                    {"tolerance", row.method == "exact" ? json() : json(row.tolerance)},
                    {"base", finite(row.base_samples)},
                    {"comp", finite(row.comp_samples)}});
  }
  return rows;
}

// ---- the environment ----

// Lists and objects in words, numbers with four digits.
static std::string value_text(const Value &value)
{
  if (value.is_null())
    return "–";
  if (value.is_number() && !value.is_whole())
    return fmt::format("{:.4g}", value.number());
  if (!value.is_list() && !value.is_object())
    return value.shown();
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : "; ") + part; };
  for (const auto &[name, member] : value.items())
    add(name + ": " + value_text(member));
  if (value.is_list())
    for (const Value &item : value.items_of_list())
      add(value_text(item));
  return text;
}

static std::string member_text(const Value &environment, const std::string &name)
{
  const Value *found = environment.find(name);
  return found ? value_text(*found) : "–";
}

static std::string environment_table(const std::string &rows)
{
  return "<table class=\"environment\">\n<thead><tr><th scope=\"col\"></th><th "
         "scope=\"col\">base</th><th scope=\"col\">comp</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody>\n</table>\n";
}

// What differs is shown, what does not is folded.
static std::string environment_tables(const Value &base, const Value &comp)
{
  std::vector<std::string> names;
  for (const Value *side : {&comp, &base})
    for (const auto &[name, value] : side->items())
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  std::string different, same;
  for (const std::string &name : names) {
    std::string a = member_text(base, name), b = member_text(comp, name);
    (a == b ? same : different) +=
        fmt::format("<tr><th scope=\"row\">{}</th>{}{}</tr>\n", escape(name),
                    cell("base", escape(a), "text"), cell("comp", escape(b), "text"));
  }
  if (names.empty())
    return "<p>Not recorded.</p>\n";
  std::string text = different.empty() ? "<p>Both sides tell the same.</p>\n"
                                       : "<h3>Different</h3>\n" + environment_table(different);
  if (!same.empty())
    text += "<details><summary>The same on both sides</summary>\n" + environment_table(same) +
            "</details>\n";
  return text;
}

std::string environment_section(const Report &report)
{
  std::string remarks;
  for (const std::string &remark : report.remarks)
    remarks += "<li>" + escape(remark) + "</li>\n";
  if (!remarks.empty())
    remarks = "<ul>\n" + remarks + "</ul>\n";
  return "<section>\n<h2>Environment</h2>\n" + remarks +
         environment_tables(report.base_environment, report.comp_environment) + "</section>\n";
}

} // namespace gate::page
