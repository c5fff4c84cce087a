// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The report as one page: its frame. A Content-Security-Policy forbids it to load anything.
#include <fmt/format.h>

#include "tools/gate/report/writers/page.h"
#include "tools/gate/report/writers/page_data.h"
#include "tools/gate/report/writers/writers.h"
#include "tools/gate/report/writing.h"
#include "tools/lib/json.h"

namespace gate
{

static std::string head(const Report &report)
{
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>gate {}: {}</title>
<style>
{}{}</style>
</head>
)",
                     page::escape(report.command), page::escape(headline(report)), uplot_css,
                     page_css);
}

std::string format_html(const Report &report, const std::string &history_text)
{
  std::vector<std::string> names = short_names(report.rows);
  page::History history = page::read_history(history_text);
  result::json data = {{"rows", page::plot_data(report, names)}, {"history", history.plots}};
  return head(report) + "<body>\n<main>\n" + page::verdict_section(report, names) +
         page::overview_section(report) + page::table_section(report, names) +
         page::benchmarks_section(report, names) + history.section +
         page::environment_section(report) + page::reading_section(report) + "</main>\n" +
         "<script type=\"application/json\" id=\"data\">" + page::script_json(data) +
         "</script>\n<script>\n" + uplot_js + "\n" + page_js + "</script>\n</body>\n</html>\n";
}

} // namespace gate
