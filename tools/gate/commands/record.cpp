// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate record: measures one bench and keeps figures, executable and arguments as the baseline.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/gate/commands/commands.h"
#include "tools/gate/history/store.h"
#include "tools/gate/history/stored_times.h"
#include "tools/gate/judge/compare.h"
#include "tools/gate/judge/figures.h"
#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/environment.h"
#include "tools/lib/hash.h"
#include "tools/lib/progress.h"
#include "tools/lib/strip.h"

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
  if (benchmark.inject_pct)
    text = fmt::format("note: {} is slowed on purpose by {} %\n", benchmark.name,
                       *benchmark.inject_pct);
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
  for (Task &task : tasks) {
    task.units = options.units;
    all.push_back(&task);
  }
  bench.measure(all);
  for (size_t i = 0; i < tasks.size(); i++) {
    put_samples(result.benchmarks[i], tasks[i].sides[0]);
    reject_unusable(result.benchmarks[i]);
  }
  result.command = {options.bench};
  result.command.insert(result.command.end(), options.bench_arguments.begin(),
                        options.bench_arguments.end());
  return result;
}

static size_t count(const Result &result, Status status)
{
  return std::count_if(result.benchmarks.begin(), result.benchmarks.end(),
                       [=](const Benchmark &benchmark) { return benchmark.status == status; });
}

// Nothing can be measured on this machine: all were skipped.
static void check_skipped(const Result &result)
{
  if (count(result, Status::Skipped) == result.benchmarks.size())
    throw nothing_measurable(result.benchmarks.at(0).reason);
}

// What of the result is worse than the baseline and its history. A baseline that follows a
// regression hides it, so that is only done for a reason.
static std::string objection(const Store &store, const std::string &name, const Result &result,
                             const std::string &artefact, const Options &options)
{
  Result base;
  for (const Recording &recording : store.read(name).recordings)
    for (const Benchmark &benchmark : recording.result.benchmarks)
      base.benchmarks.push_back(benchmark);
  Settings settings = {.tolerance = options.tolerance, .alpha = options.alpha};
  settings.expected.emplace();
  std::vector<Candidate> candidates = match_rows(base, result, settings);
  use_history(candidates, RunHistory(store, name), new_run(result, artefact, nullptr),
              options.stored_rule());
  judge(candidates, options.alpha, options.alpha);
  std::vector<Row> rows = rows_of(std::move(candidates));
  std::vector<std::string> worse;
  for (const Row &row : rows)
    if (row.gated && row.verdict == Verdict::Regressed)
      worse.push_back(fmt::format("{} {} {}", row.name, row.metric,
                                  row.relative ? fmt::format("{:+.1f} %", 100 * *row.change)
                                               : fmt::format("{:+.4g} {}", *row.change, row.unit)));
  if (worse.empty())
    return "";
  std::string shift = find_host_shift(rows);
  return shift.empty() ? "worse than the baseline: " + joined(worse) : shift;
}

namespace
{

struct KeptRecord {
  bool accepted = true;
  std::string text; // for people, and the line for machines
};

} // namespace

// Keeps what is sound, as the baseline unless there is an objection.
static KeptRecord keep(const Options &options, const std::string &executable, Result result)
{
  size_t recorded = count(result, Status::Ok);
  std::string outcome = fmt::format("failed={} skipped={}", count(result, Status::Failed),
                                    count(result, Status::Skipped));
  if (recorded == 0)
    return {.text = fmt::format("gate: recorded=0 replaced=0 {}\n", outcome)};
  std::erase_if(result.benchmarks, [](const Benchmark &b) { return b.status != Status::Ok; });
  Store store(options.store);
  std::string name = class_name(result.environment), reason = options.baseline.reason;
  std::string why = objection(store, name, result, sha1_hex(executable), options);
  Run run = {.series = {name, options.bench_arguments},
             .command = "record",
             .time = result.started,
             .accepted = why.empty() || !reason.empty(),
             .reason = !reason.empty() ? reason
                       : why.empty()   ? "recorded"
                                       : why,
             .seed = options.seed,
             .revision = result.tool.revision,
             .new_level = !why.empty() && !reason.empty()};
  bool accepted = run.accepted;
  Store::Kept kept = store.keep(std::move(run), executable, result, {}, accepted);
  if (!accepted)
    return {false, fmt::format("not the baseline: {}\nif it is wanted: gate baseline accept {} "
                               "--reason TEXT\ngate: recorded=0 replaced=0 {}\n",
                               why, kept.run, outcome)};
  return {true, fmt::format("baseline: run {} in {}\ngate: recorded={} replaced={} {}\n", kept.run,
                            store.path(), recorded, kept.replaced, outcome)};
}

// The baseline of this machine, if it has any of the benchmarks that are selected.
static std::string existing_baseline(const Options &options)
{
  Interleave bench({{options.bench, options.bench_arguments}}, {.timeout_ms = options.timeout_ms},
                   options.seed, [](size_t, size_t, const std::string &) {});
  Result list = list_bench(bench, 0);
  Store store(options.store);
  std::string name = class_name(list.environment);
  std::set<std::string> recorded;
  for (const Recording &recording : store.read(name).recordings)
    for (const Benchmark &benchmark : recording.result.benchmarks)
      recorded.insert(benchmark_key(benchmark));
  for (const Benchmark &benchmark : list.benchmarks)
    if (recorded.count(benchmark_key(benchmark)))
      return store.path();
  return "";
}

int record(const Options &options)
{
  if (options.if_missing)
    if (std::string path = existing_baseline(options); !path.empty()) {
      fmt::print("baseline: {}\ngate: kept what is recorded (--if-missing)\n", path);
      return Exit::Passed;
    }
  constexpr size_t largest = size_t{1} << 30;
  // Read before measuring: a build in the meantime must not slip in.
  std::string executable = read_file(options.bench, largest);
  std::string started = utc_now();
  Result result = measure(options);
  result.started = started;
  if (read_file(options.bench, largest) != executable)
    throw std::runtime_error(
        fmt::format("'{}' changed while it was measured: nothing recorded", options.bench));
  check_skipped(result);
  if (!options.json.empty())
    result::write_result(options.json, result);
  std::string text;
  for (const Benchmark &benchmark : result.benchmarks)
    text += describe(benchmark);
  KeptRecord kept = keep(options, without_debug(executable), result);
  if (options.json != "-")
    write_file("-", text + kept.text);
  if (!kept.accepted)
    return Exit::Regression;
  return count(result, Status::Failed) ? Exit::Incomplete : Exit::Passed;
}

} // namespace gate
