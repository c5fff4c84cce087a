// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Google Benchmark's JSON. A repetition is a load: the benchmark's function sets itself up anew.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "tools/gate/readers/format.h"
#include "tools/gate/readers/json/entries.h"

namespace gate
{

using result::Benchmark;
using result::Better;
using result::json;
using result::Status;

static constexpr EntryList list = {"Google Benchmark JSON", "benchmarks",
                                   "'name', 'cpu_time' and 'real_time'"};

// Members of an entry that are no user counters.
static constexpr std::array own_members = {"name",
                                           "family_index",
                                           "per_family_instance_index",
                                           "run_name",
                                           "run_type",
                                           "repetitions",
                                           "repetition_index",
                                           "threads",
                                           "aggregate_name",
                                           "aggregate_unit",
                                           "error_occurred",
                                           "error_message",
                                           "skipped",
                                           "skip_message",
                                           "iterations",
                                           "real_time",
                                           "cpu_time",
                                           "time_unit",
                                           "cpu_coefficient",
                                           "real_coefficient",
                                           "big_o",
                                           "rms",
                                           "label",
                                           "items_per_second",
                                           "bytes_per_second",
                                           "allocs_per_iter",
                                           "max_bytes_used",
                                           "total_allocated_bytes",
                                           "net_heap_growth",
                                           "complexity_n",
                                           "display_aggregates_only",
                                           "report_aggregates_only",
                                           "n"};

static bool is_true(const json &entry, const char *member)
{
  return entry.value(member, json()) == true;
}

namespace
{

class GoogleReader {
public:
  explicit GoogleReader(Input &input) : x_input(input), x_collector(input.name()) {}

  Reading read(bool partial)
  {
    read_entries(
        x_input, list, partial, x_collector, [&](const json &entry) { take(entry); },
        [&](const json &root) { take_context(root); });
    use_aggregates();
    if (x_repetitions > 1)
      x_collector.remark("a repetition counts as a load: what a benchmark sets up outside of its "
                         "function is shared by them");
    return x_collector.take(list.format);
  }

private:
  void take(const json &entry)
  {
    std::string name = text_of(entry, "run_name");
    if (name.empty())
      name = text_of(entry, "name");
    if (name.empty())
      throw wrong_entry("has no name");
    if (text_of(entry, "run_type") == "aggregate" || entry.contains("big_o") ||
        entry.contains("rms"))
      keep_aggregate(name, entry);
    else
      take_run(name, entry);
  }

  void take_run(const std::string &name, const json &entry)
  {
    Benchmark &benchmark = x_collector.benchmark(name);
    if (is_true(entry, "error_occurred"))
      return x_collector.drop(benchmark, text_of(entry, "error_message"));
    if (is_true(entry, "skipped"))
      return skip(benchmark, entry);
    if (benchmark.status != Status::Ok)
      return; // another repetition was skipped
    add_times(benchmark, name, entry);
    add_counters(benchmark, entry);
    if (!benchmark.iterations && entry.contains("iterations"))
      benchmark.iterations = figure_at(entry, "iterations");
    x_repetitions = std::max(x_repetitions, benchmark.metrics[0].samples.size());
  }

  static void skip(Benchmark &benchmark, const json &entry)
  {
    benchmark.status = Status::Skipped;
    benchmark.reason = clean_name(text_of(entry, "skip_message"));
    benchmark.metrics.clear();
  }

  // The figure that the benchmark's author chose is judged: CPU time, unless the name says that it
  // is timed by the clock or by itself.
  void add_times(Benchmark &benchmark, const std::string &name, const json &entry)
  {
    bool by_clock = name.find("/real_time") != name.npos || name.find("/manual_time") != name.npos;
    std::string unit = text_of(entry, "time_unit");
    unit = clean_name(unit.empty() ? "ns" : unit);
    for (const char *member : {"cpu_time", "real_time"}) {
      bool gated = (member == std::string_view("real_time")) == by_clock;
      x_collector.add_load(benchmark, {.name = member, .unit = unit, .gated = gated},
                           {figure_at(entry, member)});
    }
  }

  void add_counters(Benchmark &benchmark, const json &entry)
  {
    // They follow from the time.
    for (const char *rate : {"items_per_second", "bytes_per_second"})
      if (entry.contains(rate))
        x_collector.add_load(benchmark,
                             {.name = rate, .unit = "/s", .better = Better::Higher, .gated = false},
                             {figure_at(entry, rate)});
    for (const auto &[member, value] : entry.items())
      if (std::find(own_members.begin(), own_members.end(), member) == own_members.end())
        if (auto figure = figure_of(value))
          x_collector.add_load(benchmark, {.name = clean_name(member), .better = Better::Unknown},
                               {*figure});
  }

  // Of a file that has aggregates only, the median stands for the runs.
  void keep_aggregate(const std::string &name, const json &entry)
  {
    std::string kind = text_of(entry, "aggregate_name");
    if ((kind != "median" && kind != "mean") || x_aggregates.size() >= result::most_benchmarks)
      return;
    json &times = x_aggregates[clean_name(name)][kind] = json::object();
    for (const char *member : {"cpu_time", "real_time"})
      times[member] = figure_at(entry, member);
    times["time_unit"] = text_of(entry, "time_unit");
  }

  void use_aggregates()
  {
    size_t used = 0;
    for (const auto &[name, kinds] : x_aggregates) {
      Benchmark &benchmark = x_collector.benchmark(name);
      if (!benchmark.metrics.empty() || benchmark.status != Status::Ok)
        continue;
      auto median = kinds.find("median");
      add_times(benchmark, name, median == kinds.end() ? kinds.begin()->second : median->second);
      used++;
    }
    if (used)
      x_collector.remark(fmt::format("aggregates only for {} benchmarks: their median or mean is "
                                     "one load",
                                     used));
  }

  void take_context(const json &root)
  {
    auto context = root.find("context");
    if (context == root.end() || !context->is_object())
      return;
    Value seen = Value::object();
    if (auto cpus = figure_of(context->value("num_cpus", json())); cpus && std::isfinite(*cpus))
      seen["cpus"] = *cpus;
    for (const char *member : {"library_build_type", "library_version"})
      if (std::string text = text_of(*context, member); !text.empty())
        seen[std::string("google_") + member] = clean_name(text);
    if (auto scaling = context->find("cpu_scaling_enabled"); scaling != context->end())
      seen["cpu_scaling"] = is_true(*context, "cpu_scaling_enabled");
    if (text_of(*context, "library_build_type") == "debug")
      x_collector.remark("the benchmark library is a debug build");
    Value &environment = x_collector.environment();
    if (!environment.empty() && !(environment == seen))
      x_collector.remark("the runs in this file differ in their context");
    environment = seen;
  }

  Input &x_input;
  Collector x_collector;
  std::map<std::string, std::map<std::string, json>> x_aggregates;
  size_t x_repetitions = 0;
};

} // namespace

static Reading read(Input &input, bool partial) { return GoogleReader(input).read(partial); }

static bool is_it(const JsonMembers &top)
{
  return !top.is_list() && top.schema().empty() && !top.has("machine_info") &&
         (top.has("context") || top.has("benchmarks"));
}

static const Register google_json(JsonFormat{list.format, is_it, read});

} // namespace gate
