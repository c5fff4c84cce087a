// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate baseline accept, anchor, waive and expire: what changes the store or the waivers.
#include "tools/gate/commands/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tools/gate/commands/commands.h"
#include "tools/gate/history/waivers.h"
#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/judge/row_name.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/environment.h"
#include "tools/lib/text.h"

namespace gate
{

using result::Benchmark;
using result::Metric;
using result::Result;
using result::Status;

std::vector<InForce> baselines_in_force(const Store &store)
{
  std::map<int64_t, Run> runs;
  for (Run &run : store.runs())
    runs[run.id] = std::move(run);
  std::map<Series, InForce> found;
  for (const std::string &name : store.classes())
    for (Recording &recording : store.read(name).recordings) {
      const Run &run = runs.at(recording.run);
      InForce &own = found[run.series];
      own.run = run; // the newest one comes last
      own.rows += recording.result.benchmarks.size();
      own.recordings.push_back(std::move(recording));
    }
  std::vector<InForce> list;
  for (auto &[series, own] : found) {
    for (const auto &[id, run] : runs)
      if (run.series == series) {
        own.runs++;
        own.accepted += run.accepted;
      }
    list.push_back(std::move(own));
  }
  return list;
}

InForce find_baseline(const Store &store, const std::string &key)
{
  constexpr size_t shortest = 4;
  std::vector<InForce> found;
  for (InForce &each : baselines_in_force(store))
    if (key.size() >= shortest && each.run.series.key().starts_with(key))
      found.push_back(std::move(each));
  if (found.size() > 1)
    throw usage_error(
        fmt::format("'{}' stands for {} baselines: give more of it", key, found.size()));
  if (found.empty())
    throw usage_error(fmt::format("no baseline '{}': gate baseline list has the keys", key));
  return std::move(found[0]);
}

std::optional<int64_t> run_number(const std::string &text)
{
  // A key may consist of digits, too; run numbers do not get that long.
  auto number = text.size() < 8 ? parse_whole(text) : std::nullopt;
  return number ? std::optional<int64_t>(*number) : std::nullopt;
}

static bool is_file(const std::string &path)
{
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// What bench was asked for, as far as the file tells: its command without the program.
static std::vector<std::string> suite_of(const Result &result)
{
  std::vector<std::string> suite;
  if (!result.command.empty())
    suite.assign(result.command.begin() + 1, result.command.end());
  return suite;
}

static Store::Kept accept_file(Store &store, const std::string &path, const std::string &reason)
{
  Result result = result::read_result(path);
  auto usable = [](const Benchmark &benchmark) { return benchmark.status == Status::Ok; };
  if (std::none_of(result.benchmarks.begin(), result.benchmarks.end(), usable))
    throw usage_error(fmt::format("{}: no benchmark in it was measured", path));
  Run run = {.series = {class_name(result.environment), suite_of(result)},
             .command = "accept",
             .time = result.started.empty() ? utc_now() : result.started,
             .accepted = true,
             .reason = reason,
             .revision = result.tool.revision,
             .new_level = true};
  return store.keep(std::move(run), "", result, {}, true);
}

static int accept(const Options &options)
{
  Store store(options.store);
  const BaselineOptions &own = options.baseline;
  std::string reason = own.reason.empty() ? "accepted by hand" : own.reason;
  auto number = run_number(own.result);
  if (!number && !is_file(own.result))
    throw usage_error(fmt::format("'{}' is neither the number of a run nor a file", own.result));
  Store::Kept kept =
      number ? store.accept(*number, reason) : accept_file(store, own.result, reason);
  say("gate: run {} is the baseline, {} rows replaced\n", kept.run, kept.replaced);
  return Exit::Passed;
}

static int64_t run_to_mark(const Store &store, const std::string &key)
{
  if (auto number = run_number(key))
    return *number;
  if (!key.empty())
    return find_baseline(store, key).run.id;
  std::vector<InForce> all = baselines_in_force(store);
  if (all.size() != 1)
    throw usage_error(fmt::format("the store has {} baselines: name one by its key or a run by its "
                                  "number",
                                  all.size()));
  return all[0].run.id;
}

static int anchor(const Options &options)
{
  Store store(options.store);
  const BaselineOptions &own = options.baseline;
  int64_t run = run_to_mark(store, own.key);
  if (!store.run(run).accepted)
    throw usage_error(fmt::format("run {} was not accepted: {}", run, store.run(run).reason));
  store.set_anchor({own.name, run, utc_now()});
  say("gate: anchor '{}' is run {}\n", own.name, run);
  return Exit::Passed;
}

// The rows of the baselines that a text stands for, each once.
static std::vector<std::string> rows_meant(const Store &store, const std::string &text)
{
  std::vector<std::string> rows;
  for (const InForce &each : baselines_in_force(store))
    for (const Recording &recording : each.recordings)
      for (const Benchmark &benchmark : recording.result.benchmarks)
        for (const Metric &metric : benchmark.metrics)
          if (metric.gated && row_matches(text, benchmark.name, benchmark.parameters, metric.name))
            rows.push_back(row_text(benchmark.name, benchmark.parameters, metric.name));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

static int waive(const Options &options)
{
  const BaselineOptions &own = options.baseline;
  std::vector<std::string> rows = rows_meant(Store(options.store), own.row);
  std::string path = waivers_path(options);
  // With a file of its own a waiver may be about another machine's baseline.
  if (rows.empty() && options.waivers.empty())
    throw usage_error(fmt::format("no row of a baseline is '{}'", own.row));
  add_waiver(path, {own.row, own.owner, own.reason, own.until, own.bound_pct});
  for (const std::string &row : rows)
    say("waived: {}\n", row);
  say("gate: {} until {}, up to {:g} %\n", path, own.until, own.bound_pct);
  return Exit::Passed;
}

static int expire(const Options &options)
{
  Store store(options.store);
  const BaselineOptions &own = options.baseline;
  std::vector<Series> dropped;
  for (const std::string &key : own.dropped)
    dropped.push_back(find_baseline(store, key).run.series);
  for (const Waiver &waiver : drop_ended(waivers_path(options), utc_now().substr(0, 10)))
    say("waiver ended on {}: {} ({})\n", waiver.until, waiver.row, waiver.owner);
  for (const Series &series : dropped)
    say("baseline {} forgotten: {} rows\n", series.key(), store.drop_baseline(series));
  Limits limits;
  limits.runs = own.keep_runs.value_or(limits.runs);
  limits.in_full = own.keep_full.value_or(limits.in_full);
  Store::Expired expired = store.expire(limits);
  say("gate: {} runs forgotten, {} thinned\n", expired.runs, expired.thinned);
  return Exit::Passed;
}

int baseline(const Options &options)
{
  const std::string &action = options.baseline.action;
  if (action == "list")
    return baseline_list(options);
  if (action == "show")
    return baseline_show(options);
  if (action == "accept")
    return accept(options);
  if (action == "anchor")
    return anchor(options);
  return action == "waive" ? waive(options) : expire(options);
}

} // namespace gate
