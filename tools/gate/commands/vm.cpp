// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/commands/vm.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/gate/cli/thresholds.h"
#include "tools/gate/commands/commands.h"
#include "tools/gate/measure/vm_boots.h"
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
          .model = options.vm.model,
          .first_seed = options.vm.first_seed,
          .seeds = options.vm.seeds,
          .jobs = options.vm.jobs,
          .timeout_s = options.vm.timeout_s};
}

static Result measure_in_guest(const Options &options, size_t side = 0)
{
  const std::string &kernel = options.vm.kernels[side];
  Progress progress("boots");
  try {
    return count_instructions(plan_for(options, kernel), [&](size_t ended) {
      progress.show(ended, options.vm.seeds, kernel);
    });
  } catch (const boot_error &failure) {
    progress.clear();
    for (const std::string &line : failure.console())
      fmt::print(stderr, "| {}\n", line);
    throw boot_error(fmt::format("{}: {}", kernel, failure.what()));
  }
}

int record_vm(const Options &options)
{
  Result result = measure_in_guest(options);
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
               kernel_of(result.environment), options.vm.seeds, recorded,
               result.benchmarks.size() - recorded);
  return Exit::Passed;
}

static int finish_without(const std::string &why, const Options &options)
{
  Report report = {.command = options.command, .alpha = options.alpha};
  report.policy = options.policy();
  report.rows = {{.name = "boots", .metric = "figures"}};
  found(report.rows[0], "failed", why);
  return finish(report, options);
}

// Where benchmarks were named, the baseline may have more.
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
  if (base.environment.text_of("accelerator") != "icount")
    throw usage_error(fmt::format("{}: no baseline of counted instructions", path));
  return base;
}

// Which of several models it is shows only after the boots.
static void check_model(const Result &base, const Options &options)
{
  std::string model = model_of(base.environment);
  if (model.empty() && !options.vm.model.empty())
    throw usage_error(
        fmt::format("--model: {} has no events: record it anew with --model", options.vm.baseline));
  if (!model.empty() && options.vm.model.empty())
    throw usage_error(
        fmt::format("{} has events of the model {}: give its --model", options.vm.baseline, model));
}

static int judge_counts(Result base, const Result &comp, const Options &options)
{
  Report report = {.command = options.command};
  report.policy = options.policy();
  Comparison how = options.comparison();
  check_thresholds(options.thresholds, {&base, &comp});
  how.settings.expected = expected_of(options, comp);
  compare_apart(std::move(base), comp, std::move(how), report);
  return finish(report, options);
}

int check_vm(const Options &options)
{
  Result base = read_baseline(options.vm.baseline);
  check_model(base, options);
  try {
    Result comp = measure_in_guest(options);
    if (!options.vm.figures.empty())
      result::write_result(options.vm.figures, comp);
    return judge_counts(std::move(base), comp, options);
  } catch (const boot_error &failure) {
    return finish_without(failure.what(), options);
  }
}

int ab_vm(const Options &options)
{
  try {
    Result base = measure_in_guest(options, 0);
    return judge_counts(std::move(base), measure_in_guest(options, 1), options);
  } catch (const boot_error &failure) {
    return finish_without(failure.what(), options);
  }
}

} // namespace gate
