// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/vm_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/gate/commands.h"
#include "tools/gate/compare.h"
#include "tools/gate/fingerprint.h"
#include "tools/gate/vm_boots.h"
#include "tools/lib/progress.h"

namespace gate
{

using result::Benchmark;
using result::Result;
using result::Status;

static BootPlan plan_for(const Options &options, const std::string &kernel)
{
  return {.vmtest = options.vm.vmtest,
          .bench = options.bench,
          .kernel = kernel,
          .bench_arguments = options.bench_arguments,
          .seeds = options.vm.seeds,
          .jobs = options.vm.jobs,
          .timeout_s = options.vm.timeout_s};
}

static Result measure(const Options &options, size_t side = 0)
{
  const std::string &kernel = options.vm.kernels[side];
  size_t sides = options.vm.kernels[1].empty() ? 1 : 2;
  Progress progress("boots");
  progress.show(side, sides, fmt::format("{}: {} seeds", kernel, options.vm.seeds));
  try {
    return count_instructions(plan_for(options, kernel));
  } catch (const boot_error &failure) {
    progress.clear();
    for (const std::string &line : failure.console())
      fmt::print(stderr, "| {}\n", line);
    throw boot_error(fmt::format("{}: {}", kernel, failure.what()));
  }
}

static std::string described(const Result &result)
{
  const result::json &environment = result.environment;
  std::string id = environment.at("vm").value("kernel_build_id", "");
  return fmt::format("{} (build id {})", environment.value("kernel", "a kernel without a release"),
                     id.empty() ? "unknown" : id.substr(0, 12));
}

int record_vm(const Options &options)
{
  Result result = measure(options);
  std::string failures;
  for (const Benchmark &benchmark : result.benchmarks)
    if (benchmark.status == Status::Failed)
      failures += fmt::format("{}: failed: {}\n", benchmark.name, benchmark.reason);
  if (!failures.empty()) {
    fmt::print("{}gate: recorded=0, since a baseline is whole or it is none\n", failures);
    return Exit::Incomplete;
  }
  result::write_result(options.vm.baseline, result);
  if (!options.json.empty())
    result::write_result(options.json, result);
  size_t recorded = std::count_if(result.benchmarks.begin(), result.benchmarks.end(),
                                  [](const Benchmark &b) { return b.status == Status::Ok; });
  if (options.json != "-" && options.vm.baseline != "-")
    fmt::print("baseline: {}: {}, {} boots\ngate: recorded={} skipped={}\n", options.vm.baseline,
               described(result), options.vm.seeds, recorded, result.benchmarks.size() - recorded);
  return Exit::Passed;
}

// Other machines are refused row by row; what else differs is told.
static void compare_sides(const Result &base, const Result &comp, Settings &settings,
                          Report &report)
{
  Differences differences = compare_environments(base.environment, comp.environment);
  if (!differences.refused.empty()) {
    settings.incomparable = "other machine or configuration";
    report.remarks.push_back("other machine or configuration: " + joined(differences.refused));
  }
  for (const std::string &warning : differences.warned)
    report.remarks.push_back("differs: " + warning);
}

static Report make_report(const Options &options)
{
  Report report = {.command = options.command, .alpha = options.alpha};
  report.policy = options.policy();
  return report;
}

static void judge_counts(Result base, const Result &comp, const Options &options, Settings settings,
                         Report &report)
{
  rename_benchmarks(base, options.renames);
  settings.counted = true;
  if (options.count_tolerance)
    settings.count_tolerance = *options.count_tolerance;
  compare_sides(base, comp, settings, report);
  report.remarks.push_back(
      fmt::format("base: {}; comp: {}; a load is a boot", described(base), described(comp)));
  report.rows = rows_of(match_rows(base, comp, settings));
  hint_renames(report.rows);
}

static int finish_without(Report report, const std::string &why, const Options &options)
{
  report.rows = {{.name = "boots", .metric = "figures", .verdict = Verdict::Invalid, .note = why}};
  return finish(report, options);
}

// With names or a suite given, what was measured is what was asked for; the baseline may have more.
static std::optional<std::set<std::string>> expected_of(const Options &options, const Result &comp)
{
  if (options.whole_suite)
    return std::nullopt;
  std::set<std::string> keys;
  for (const Benchmark &benchmark : comp.benchmarks)
    keys.insert(result::benchmark_key(benchmark));
  return keys;
}

static Result read_baseline(const std::string &path)
{
  Result base = result::read_result(path);
  if (base.environment.value("accelerator", "") != "icount" || !base.environment.contains("vm"))
    throw usage_error(fmt::format("{}: no baseline of counted instructions", path));
  return base;
}

int check_vm(const Options &options)
{
  Report report = make_report(options);
  Result base = read_baseline(options.vm.baseline);
  try {
    Result comp = measure(options);
    if (!options.vm.figures.empty())
      result::write_result(options.vm.figures, comp);
    judge_counts(std::move(base), comp, options, {.expected = expected_of(options, comp)}, report);
  } catch (const boot_error &failure) {
    return finish_without(std::move(report), failure.what(), options);
  }
  return finish(report, options);
}

int ab_vm(const Options &options)
{
  Report report = make_report(options);
  try {
    Result base = measure(options, 0);
    judge_counts(std::move(base), measure(options, 1), options, {}, report);
  } catch (const boot_error &failure) {
    return finish_without(std::move(report), failure.what(), options);
  }
  return finish(report, options);
}

} // namespace gate
