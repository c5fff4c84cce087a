// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate compare BASE COMP: two files of results, measured apart.
#include <fmt/format.h>

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>

#include "tools/gate/commands/commands.h"
#include "tools/gate/judge/compare.h"
#include "tools/gate/judge/drift.h"
#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/readers/reading.h"
#include "tools/gate/history/waivers.h"

namespace gate
{

// --better and --gate: what the user knows of a metric, on both sides.
static void direct_metrics(result::Result &side, const Options &options)
{
  for (result::Benchmark &benchmark : side.benchmarks)
    for (result::Metric &metric : benchmark.metrics) {
      if (auto found = options.directions.find(metric.name); found != options.directions.end())
        metric.better = found->second == "lower"    ? result::Better::Lower
                        : found->second == "higher" ? result::Better::Higher
                                                    : result::Better::None;
      const auto &gated = options.gated;
      metric.gated |= std::find(gated.begin(), gated.end(), metric.name) != gated.end();
    }
}

// --filter, on both sides.
static void keep_filtered(result::Result &side, const std::vector<std::string> &globs)
{
  auto unwanted = [&](const result::Benchmark &benchmark) {
    return std::none_of(globs.begin(), globs.end(), [&](const std::string &glob) {
      return fnmatch(glob.c_str(), benchmark.name.c_str(), 0) == 0;
    });
  };
  if (!globs.empty())
    std::erase_if(side.benchmarks, unwanted);
}

// A name that neither side has is a slip of the pen, and would gate nothing.
static void check_names(const Options &options, const result::Result &base,
                        const result::Result &comp)
{
  std::set<std::string> metrics;
  for (const result::Result *side : {&base, &comp})
    for (const result::Benchmark &benchmark : side->benchmarks)
      for (const result::Metric &metric : benchmark.metrics)
        metrics.insert(metric.name);
  for (const std::string &name : options.gated)
    if (!metrics.count(name))
      throw usage_error(fmt::format("--gate: neither side has a metric '{}'", name));
  for (const auto &[name, direction] : options.directions)
    if (!metrics.count(name))
      throw usage_error(fmt::format("--better: neither side has a metric '{}'", name));
  if (!options.filters.empty() && base.benchmarks.empty() && comp.benchmarks.empty())
    throw usage_error(
        fmt::format("--filter: no benchmark is '{}'", fmt::join(options.filters, "' or '")));
}

static Reading take_side(Reading reading, const char *side, const Options &options, Report &report)
{
  keep_filtered(reading.result, options.filters);
  direct_metrics(reading.result, options);
  for (const std::string &remark : reading.remarks)
    report.remarks.push_back(fmt::format("{} ({}): {}", side, reading.format, remark));
  return reading;
}

// Measured where the clock counts instructions.
static bool is_counted(const Value &environment)
{
  return environment.text_of("accelerator") == "icount";
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
    return fmt::format("counts of instructions in {} against {}; a load is a boot",
                       kernel_of(report.comp_environment), kernel_of(report.base_environment));
  return fmt::format("measured apart: what drifted between the two runs counts as "
                     "change (tolerance {:g} %)",
                     100 * settings.tolerance);
}

// What the two sides tell about their machines, as far as both do.
static void compare_machines(const Options &options, Settings &settings, Report &report)
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
  report.policy.advisory = options.allow_foreign && !differences.refused.empty();
  if (!differences.refused.empty()) {
    report.remarks.push_back("other machine or configuration: " + joined(differences.refused));
    if (is_counted(one) != is_counted(other))
      settings.incomparable = "counts of instructions against times";
    else if (options.allow_foreign)
      report.remarks.push_back("advice only, since --allow-foreign was given");
    else
      settings.incomparable = "other machine or configuration";
  }
  for (const std::string &warning : differences.warned)
    report.remarks.push_back("differs: " + warning);
}

void compare_results(result::Result base, const result::Result &comp, const Options &options,
                     Report &report, std::optional<std::set<std::string>> expected)
{
  report.command = "compare";
  report.alpha = options.alpha;
  report.policy = options.policy();
  report.started = comp.started;
  report.base_environment = base.environment;
  report.comp_environment = comp.environment;
  rename_benchmarks(base, options.renames);
  Settings settings = {.tolerance = options.tolerance, .alpha = options.alpha};
  settings.expected = std::move(expected);
  if (options.count_tolerance)
    settings.count_tolerance = *options.count_tolerance;
  if (options.since_anchor)
    allow_only(settings, options.tolerance);
  compare_machines(options, settings, report);
  report.remarks.push_back(describe(report, settings));
  std::vector<Candidate> candidates = match_rows(base, comp, settings);
  judge(candidates, options.alpha, options.alpha);
  report.rows = rows_of(std::move(candidates));
  if (std::string shift = find_host_shift(report.rows); !shift.empty())
    report.remarks.push_back(shift);
  report.policy.unjudged = !could_judge(report.rows);
  hint_renames(report.rows);
}

// The anchor is a file or a run of the store.
static result::Result read_anchor(const Options &options, Report &report)
{
  std::error_code error;
  if (std::filesystem::is_regular_file(options.anchor, error))
    return take_side(read_results(options.anchor, options.partial), "anchor", options, report)
        .result;
  Store store(options.store.empty() ? Store::default_directory() : options.store);
  return store.recording(find_anchor(store, options.anchor).run).result;
}

static void compare_drift(result::Result anchor, const result::Result &comp, Options options,
                          Report &report)
{
  options.tolerance = *options.drift_budget;
  options.since_anchor = true;
  Report since;
  compare_results(std::move(anchor), comp, options, since);
  std::string name = options.anchor.empty() ? "the last anchor" : options.anchor;
  report.remarks.push_back(add_drift(report.rows, since.rows, name, *options.drift_budget));
}

int compare(const Options &options)
{
  if (options.base == "-" && options.comp == "-")
    throw usage_error("the standard input can be read once: only one side can be '-'");
  Report report;
  // Reading is most of the time, so both at once. Not the standard input, which may never end when
  // the other side is already refused.
  bool at_once = options.base != "-" && options.comp != "-";
  auto reading = std::async(at_once ? std::launch::async : std::launch::deferred,
                            [&] { return read_results(options.comp, options.partial); });
  Reading base = take_side(read_results(options.base, options.partial), "base", options, report);
  Reading comp = take_side(reading.get(), "comp", options, report);
  check_names(options, base.result, comp.result);
  Options own = options;
  std::optional<result::Result> anchor;
  if (options.drift_budget) {
    anchor = read_anchor(options, report);
    // Both families, against base and against the anchor, share the chance of a false alarm.
    own.alpha /= 2;
  }
  compare_results(std::move(base.result), comp.result, own, report);
  report.alpha = options.alpha;
  apply_waivers(report, options);
  if (anchor)
    compare_drift(std::move(*anchor), comp.result, own, report);
  return finish(report, options);
}

} // namespace gate
