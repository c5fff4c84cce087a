// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate explain ROW [REPORT.json]
#include "tools/gate/report/explain.h"

#include <fmt/format.h>

#include "tools/gate/commands/commands.h"
#include "tools/lib/atomic_file.h"

namespace gate
{

int explain(const Options &options)
{
  std::string path = options.base.empty() ? last_report_path(options.store) : options.base;
  std::string content;
  try {
    content = read_file(path);
  } catch (const std::exception &failure) {
    throw usage_error(options.base.empty()
                          ? fmt::format("'{}' keeps no report of a run yet", options.store)
                          : failure.what());
  }
  write_file("-", explain_rows(parse_report(content, path), options.comp));
  return Exit::Passed;
}

} // namespace gate
