// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate compare BASE COMP: two result files, measured apart.
#include <fmt/format.h>

#include "tools/gate/commands.h"
#include "tools/gate/compare.h"
#include "tools/gate/fingerprint.h"

namespace gate
{

int compare(const Options &options)
{
  result::Result base = result::read_result(options.base);
  result::Result comp = result::read_result(options.comp);
  rename_benchmarks(base, options.renames);
  Differences differences = compare_environments(base.environment, comp.environment);
  Report report = {.command = "compare", .alpha = options.alpha};
  report.policy = {options.strict, options.allow_foreign && !differences.refused.empty()};
  Settings settings = {.tolerance = options.tolerance, .alpha = options.alpha};
  if (!differences.refused.empty()) {
    std::string reason = "other machine or configuration: " + joined(differences.refused);
    report.remarks.push_back(reason);
    if (options.allow_foreign)
      report.remarks.push_back("advice only, since --allow-foreign was given");
    else
      settings.incomparable = "other machine or configuration";
  }
  for (const std::string &warning : differences.warned)
    report.remarks.push_back("differs: " + warning);
  report.remarks.push_back(
      fmt::format("measured apart: what drifted between the two runs counts as "
                  "change (tolerance {:g} %)",
                  100 * options.tolerance));
  std::vector<Candidate> candidates = match_rows(base, comp, settings);
  judge(candidates, options.alpha, options.alpha);
  report.rows = rows_of(std::move(candidates));
  if (std::string shift = find_host_shift(report.rows); !shift.empty())
    report.remarks.push_back(shift);
  hint_renames(report.rows);
  return finish(report, options);
}

} // namespace gate
