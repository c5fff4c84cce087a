// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate compare BASE COMP: two files of results, measured apart.
#include <fmt/format.h>

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>

#include "tools/gate/cli/thresholds.h"
#include "tools/gate/commands/commands.h"
#include "tools/gate/judge/drift.h"
#include "tools/gate/readers/reading.h"
#include "tools/gate/readers/sections.h"
#include "tools/gate/report/measured_apart.h"

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

static void take_side(Reading &reading, const char *side, const Options &options, Report &report)
{
  keep_filtered(reading.result, options.filters);
  direct_metrics(reading.result, options);
  for (const std::string &remark : reading.remarks)
    report.remarks.push_back(fmt::format("{} ({}): {}", side, reading.format, remark));
}

// The anchor is a file or a run of the store.
static result::Result read_anchor(const Options &options, Report &report)
{
  std::error_code error;
  if (std::filesystem::is_regular_file(options.anchor, error)) {
    Reading anchor = read_results(options.anchor, options.partial);
    take_side(anchor, "anchor", options, report);
    return anchor.result;
  }
  Store store(options.store.empty() ? Store::default_directory() : options.store);
  return store.recording(find_anchor(store, options.anchor).run).result;
}

static void compare_drift(result::Result anchor, const result::Result &comp, Options options,
                          Report &report)
{
  options.tolerance = *options.drift_budget;
  options.since_anchor = true;
  Report since;
  compare_apart(std::move(anchor), comp, options.comparison(), since);
  std::string name = options.anchor.empty() ? "the last anchor" : options.anchor;
  report.remarks.push_back(add_drift(report.rows, since.rows, name, *options.drift_budget));
}

static std::array<Reading, 2> read_sides(const Options &options)
{
  if (options.comp.empty())
    return read_sections(options.base, options.sections);
  if (options.base == "-" && options.comp == "-")
    throw usage_error("the standard input can be read once: only one side can be '-'");
  // Reading is most of the time, so both at once. Not the standard input, which may never end when
  // the other side is already refused.
  bool at_once = options.base != "-" && options.comp != "-";
  auto reading = std::async(at_once ? std::launch::async : std::launch::deferred,
                            [&] { return read_results(options.comp, options.partial); });
  Reading base = read_results(options.base, options.partial);
  return {std::move(base), reading.get()};
}

int compare(const Options &options)
{
  Report report = {.command = "compare"};
  report.policy = options.policy();
  auto [base, comp] = read_sides(options);
  check_thresholds(options.thresholds, {&base.result, &comp.result});
  take_side(base, "base", options, report);
  take_side(comp, "comp", options, report);
  check_names(options, base.result, comp.result);
  Options own = options;
  std::optional<result::Result> anchor;
  if (options.drift_budget) {
    anchor = read_anchor(options, report);
    // Both families, against base and against the anchor, share the chance of a false alarm.
    own.alpha /= 2;
  }
  compare_apart(std::move(base.result), comp.result, own.comparison(), report);
  report.alpha = options.alpha;
  apply_waivers(report, options);
  if (anchor)
    compare_drift(std::move(*anchor), comp.result, own, report);
  return finish(report, options);
}

} // namespace gate
