// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The report as one page: its frame, page.html. A Content-Security-Policy forbids it to load
// anything.
#include <fmt/format.h>

#include "tools/gate/report/writers/page.h"
#include "tools/gate/report/writers/page_data.h"
#include "tools/gate/report/writers/writers.h"
#include "tools/gate/report/writing.h"

namespace gate
{

std::string format_html(const Report &report, const std::string &history_text)
{
  using fmt::arg;
  std::vector<std::string> names = short_names(report.rows);
  page::History history = page::read_history(history_text);
  result::json data = {{"rows", page::plot_data(report, names)}, {"history", history.plots}};
  std::string sections = page::verdict_section(report, names) + page::overview_section(report) +
                         page::table_section(report, names) +
                         page::benchmarks_section(report, names) + history.section +
                         page::environment_section(report);
  return fmt::format(fmt::runtime(page_html), arg("command", page::escape(report.command)),
                     arg("headline", page::escape(headline(report))), arg("uplot_css", uplot_css),
                     arg("page_css", page_css), arg("sections", sections),
                     arg("alpha_pct", 100 * report.alpha), arg("data", page::script_json(data)),
                     arg("uplot_js", uplot_js), arg("page_js", page_js));
}

} // namespace gate
