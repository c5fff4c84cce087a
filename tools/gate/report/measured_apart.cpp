// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/report/measured_apart.h"

#include <fmt/format.h>

#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/report/functions.h"

namespace gate
{

// Measured where the clock counts instructions.
static bool is_counted(const Value &environment)
{
  return environment.text_of("accelerator") == "icount";
}

std::string model_of(const Value &environment)
{
  const Value *vm = environment.find("vm");
  return vm ? vm->text_of("model") : "";
}

std::string kernel_of(const Value &environment)
{
  std::string release = environment.text_of("kernel");
  if (release.empty())
    release = "a kernel without a release";
  const Value *vm = environment.find("vm");
  std::string id = vm ? vm->text_of("kernel_build_id") : "";
  return fmt::format("{} (build id {})", release, id.empty() ? "unknown" : id.substr(0, 12));
}

// What a reader must know to take the figures for what they are.
static std::string describe(const Report &report, const Settings &settings)
{
  if (settings.counted)
    return fmt::format("counts of instructions{} in {} against {}; a load is a boot",
                       model_of(report.comp_environment).empty() ? "" : " and events",
                       kernel_of(report.comp_environment), kernel_of(report.base_environment));
  return fmt::format("measured apart: what drifted between the two runs counts as "
                     "change (tolerance {:g} %)",
                     100 * settings.tolerance);
}

// What the two sides tell about their machines, as far as both do.
static void compare_machines(bool allow_foreign, Settings &settings, Report &report)
{
  const Value &one = report.base_environment, &other = report.comp_environment;
  if (one.empty() || other.empty()) {
    report.remarks.push_back(fmt::format(
        "{}: not checked whether both are of one machine",
        one.empty() && other.empty()
            ? "neither side tells its machine"
            : fmt::format("{} does not tell its machine", one.empty() ? "base" : "comp")));
    return;
  }
  settings.counted = is_counted(one) && is_counted(other);
  Differences differences = compare_environments(one, other);
  report.policy.advisory = allow_foreign && !differences.refused.empty();
  if (!differences.refused.empty()) {
    report.remarks.push_back("other machine or configuration: " + joined(differences.refused));
    if (is_counted(one) != is_counted(other))
      settings.incomparable = "counts of instructions against times";
    else if (allow_foreign)
      report.remarks.push_back("advice only, since --allow-foreign was given");
    else
      settings.incomparable = "other machine or configuration";
  }
  if (std::string base = model_of(one), comp = model_of(other); settings.counted && base != comp) {
    auto shown = [](const std::string &model) { return model.empty() ? "no model" : model; };
    settings.incomparable = fmt::format("counted under {} against {}", shown(comp), shown(base));
  }
  for (const std::string &warning : differences.warned)
    report.remarks.push_back("differs: " + warning);
}

void compare_apart(result::Result base, const result::Result &comp, Comparison how, Report &report)
{
  report.alpha = how.settings.alpha;
  report.started = comp.started;
  report.base_environment = base.environment;
  report.comp_environment = comp.environment;
  rename_benchmarks(base, how.renames);
  compare_machines(how.allow_foreign, how.settings, report);
  report.remarks.push_back(describe(report, how.settings));
  std::vector<Candidate> candidates = match_rows(base, comp, how.settings);
  judge(candidates, report.alpha, report.alpha);
  report.rows = rows_of(std::move(candidates));
  if (how.settings.incomparable.empty())
    report.functions = changed_functions(base, comp, how.settings.count_tolerance);
  if (std::string shift = find_host_shift(report.rows); !shift.empty())
    report.remarks.push_back(shift);
  report.policy.unjudged = !could_judge(report.rows);
  hint_renames(report.rows);
}

} // namespace gate
