// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate report REPORT.json: what check or compare found, later and in other formats.
#include "tools/gate/commands/commands.h"
#include "tools/lib/atomic_file.h"

namespace gate
{

int report(const Options &options)
{
  Report report = parse_report(read_file(options.report), options.report);
  bool any = !options.outputs.empty() || !options.html.empty();
  std::string history = options.history.empty() ? "" : read_file(options.history);
  if (!options.html.empty())
    write_file(options.html, format_html(report, history));
  write_outputs(report, options.outputs);
  if (!any)
    write_file("-", format_table(report));
  // It was converted: the verdict is that of the run, which told it by its own exit code.
  return Exit::Passed;
}

} // namespace gate
