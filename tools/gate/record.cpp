// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate record: measures one bench and keeps figures, executable and arguments as the baseline.
#include <fmt/format.h>

#include "tools/gate/commands.h"
#include "tools/gate/figures.h"
#include "tools/gate/fingerprint.h"
#include "tools/gate/progress.h"
#include "tools/gate/statistics.h"
#include "tools/gate/store.h"
#include "tools/lib/atomic_file.h"

namespace gate
{

using result::Benchmark;
using result::Metric;
using result::Result;
using result::Status;

static std::vector<Task> make_tasks(const Result &list)
{
  std::vector<Task> tasks;
  for (size_t i = 0; i < list.benchmarks.size(); i++)
    tasks.push_back({.name = list.benchmarks[i].name,
                     .targets = {{0, i}},
                     .batched = list.benchmarks[i].batched.value_or(true)});
  return tasks;
}

static std::string describe(const Benchmark &benchmark)
{
  if (benchmark.status != Status::Ok)
    return fmt::format("{}: {}: {}\n", benchmark.name, to_string(benchmark.status),
                       benchmark.reason);
  std::string text;
  for (const Metric &metric : benchmark.metrics) {
    Figures figures = figures_of(metric, PerLoad::Median);
    std::vector<double> loads = figures.usable();
    if (loads.empty() || !metric.gated)
      continue;
    text += fmt::format("{} {}: {} ({} loads, quartiles {} to {})\n", benchmark.name, metric.name,
                        format_figure(median(loads), metric.unit), loads.size(),
                        format_figure(quantile(loads, .25), ""),
                        format_figure(quantile(loads, .75), ""));
  }
  return text;
}

// Rows that cannot be judged against are no baseline.
static void reject_unusable(Benchmark &benchmark)
{
  for (const Metric &metric : benchmark.metrics)
    if (std::string why = figures_of(metric, PerLoad::Median).invalid;
        metric.gated && !why.empty() && benchmark.status == Status::Ok) {
      benchmark.status = Status::Failed;
      benchmark.reason = fmt::format("{}: {}", metric.name, why);
    }
}

static Result measure(const Options &options)
{
  Progress progress("record");
  Interleave bench({{options.bench, options.bench_arguments}}, {.timeout_ms = options.timeout_ms},
                   options.seed, [&](size_t done, size_t total, const std::string &name) {
                     progress.show(done, total, name);
                   });
  Result result = list_bench(bench, 0);
  std::vector<Task> tasks = make_tasks(result);
  std::vector<Task *> all;
  for (Task &task : tasks)
    all.push_back(&task);
  bench.measure(all, options.units);
  for (size_t i = 0; i < tasks.size(); i++) {
    put_samples(result.benchmarks[i], tasks[i].sides[0]);
    reject_unusable(result.benchmarks[i]);
  }
  result.command = {options.bench};
  result.command.insert(result.command.end(), options.bench_arguments.begin(),
                        options.bench_arguments.end());
  result.started = timestamp();
  return result;
}

int record(const Options &options)
{
  // Read before measuring: a build in the meantime must not slip in.
  std::string executable = read_file(options.bench, size_t{1} << 30);
  std::string started = timestamp();
  Result result = measure(options);
  result.started = started;
  if (read_file(options.bench, size_t{1} << 30) != executable)
    throw std::runtime_error(
        fmt::format("'{}' changed while it was measured: nothing recorded", options.bench));
  size_t counts[4] = {};
  std::string reason, text;
  for (const Benchmark &benchmark : result.benchmarks) {
    counts[static_cast<size_t>(benchmark.status)]++;
    if (benchmark.status != Status::Ok)
      reason = benchmark.reason;
    if (benchmark.inject_pct)
      text += fmt::format("note: {} is slowed on purpose by {} %\n", benchmark.name,
                          *benchmark.inject_pct);
    text += describe(benchmark);
  }
  size_t recorded = counts[static_cast<size_t>(Status::Ok)];
  size_t failed = counts[static_cast<size_t>(Status::Failed)];
  size_t skipped = counts[static_cast<size_t>(Status::Skipped)];
  if (!options.json.empty())
    result::write_result(options.json, result);
  size_t replaced = 0;
  std::string class_name = gate::class_name(result.environment);
  if (recorded > 0) {
    std::erase_if(result.benchmarks, [](const Benchmark &b) { return b.status != Status::Ok; });
    replaced = Store(options.store)
                   .add(class_name, executable,
                        {.arguments = options.bench_arguments,
                         .seed = options.seed,
                         .result = std::move(result)});
    text += fmt::format("baseline: {}\n", Store(options.store).baseline_path(class_name));
  } else if (failed == 0) {
    throw nothing_measurable(reason);
  }
  text += fmt::format("gate: recorded={} replaced={} failed={} skipped={}\n", recorded, replaced,
                      failed, skipped);
  if (options.json != "-")
    write_file("-", text);
  return failed ? Exit::Incomplete : Exit::Passed;
}

} // namespace gate
