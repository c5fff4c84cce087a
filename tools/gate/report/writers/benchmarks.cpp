// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One side of a report as other benchmark programs would have written it: Go's benchmark text for
// benchstat, Google Benchmark's JSON for compare.py. One entry per load.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/gate/report/writers/writers.h"
#include "tools/gate/report/writing.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/gate/statistics/units.h"
#include "tools/lib/json.h"

namespace gate
{

using result::json;

// Figures of the loads; where the report has none (written before it held them), the median.
static std::vector<double> samples_of(const Row &row, Side side)
{
  std::vector<double> samples = finite(side == Side::Base ? row.base_samples : row.comp_samples);
  const std::optional<double> &figure = side == Side::Base ? row.base : row.comp;
  if (samples.empty() && figure && std::isfinite(*figure))
    samples.push_back(*figure);
  return samples;
}

// ---- Go ----

// A field: no blanks.
static std::string go_field(const std::string &text)
{
  std::string out = one_line(text);
  std::replace(out.begin(), out.end(), ' ', '_');
  return out;
}

// What follows "Benchmark" is no small letter; a last "-8" would be the number of CPUs.
static std::string go_name(const Row &row)
{
  std::string name = go_field(full_name(row, "/", "="));
  if (name[0] >= 'a' && name[0] <= 'z')
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
  else if (static_cast<unsigned char>(name[0]) >= 0x80)
    name = "_" + name;
  name = "Benchmark" + name;
  size_t last = name.find_last_not_of("0123456789");
  bool looks_like_cpus = last + 1 < name.size() && name[last] == '-';
  return looks_like_cpus ? name + "-1" : name;
}

// benchstat compares what has the same unit: "ns/op" is the gated time of a benchmark; others,
// which may be several in the same unit, are told apart by the name of the metric before it.
static std::string go_unit(const Row &row)
{
  std::string unit = row.unit;
  std::erase(unit, ' ');
  if (row.gated && row.kind == result::Class::Time && unit.ends_with("/op"))
    return go_field(unit);
  return go_field(unit.empty() ? row.metric : row.metric + "-" + unit);
}

static std::string go_units(const Report &report)
{
  std::map<std::string, std::string> units;
  for (const Row &row : report.rows) {
    if (row.metric.empty() || row.better == result::Better::None)
      continue;
    std::string rule = row.better == result::Better::Higher ? "better=higher" : "better=lower";
    units.emplace(go_unit(row), row.kind == result::Class::Exact ? rule + " assume=exact" : rule);
  }
  std::string text;
  for (const auto &[unit, rule] : units)
    text += fmt::format("Unit {} {}\n", unit, rule);
  return text;
}

// What Go calls an architecture.
static std::string go_arch(const std::string &arch)
{
  return arch == "x86_64" ? "amd64" : arch == "aarch64" ? "arm64" : arch;
}

// benchstat makes a table for each value of a key, so only what both sides share is a key. What
// differs is in lines that it ignores.
static std::string go_keys(const Report &report, Side side)
{
  const Value &own = side == Side::Base ? report.base_environment : report.comp_environment;
  std::string keys = "goos: linux\n", others;
  for (auto [key, name] : {std::pair("goarch", "arch"), std::pair("cpu", "cpu_model"),
                           std::pair("kernel", "kernel")}) {
    std::string base = environment_text(report.base_environment, name);
    std::string comp = environment_text(report.comp_environment, name);
    if (base == comp && !base.empty())
      keys += fmt::format("{}: {}\n", key, go_arch(base));
    else if (std::string value = environment_text(own, name); !value.empty())
      others += fmt::format("# {}: {}\n", key, value);
  }
  return keys + others;
}

std::string format_go(const Report &report, Side side)
{
  std::string text = go_keys(report, side) + go_units(report) + "\n";
  for (const Row &row : report.rows)
    for (double value : samples_of(row, side))
      // How many ops a load took is not in the report; benchstat does not look at it.
      text += fmt::format("{} 1 {} {}\n", go_name(row), value, go_unit(row));
  return text;
}

// ---- Google Benchmark ----

namespace
{

// The rows of one benchmark. main: its time, of which each load is a repetition.
struct GoogleBenchmark {
  const Row *main = nullptr;
  std::vector<const Row *> others;
};

} // namespace

static bool is_time_per_op(const Row &row)
{
  return row.better == result::Better::Lower && from_ns_per_op(1, row.unit).has_value();
}

// "us/op" -> "us"
static std::string time_unit(const Row &row)
{
  std::string unit = row.unit.substr(0, row.unit.find('/'));
  std::erase(unit, ' ');
  return unit;
}

static json google_entry(const Row &row, const std::string &name, const char *run_type,
                         double value, size_t repetitions)
{
  return {{"name", name},
          {"run_name", one_line(full_name(row, "/", ":"))},
          {"run_type", run_type},
          {"repetitions", repetitions},
          {"threads", 1},
          {"iterations", 1},
          {"real_time", value},
          {"cpu_time", value},
          {"time_unit", time_unit(row)}};
}

static void add_aggregates(json &list, const Row &row, const std::vector<double> &times)
{
  auto [mean, stddev] = mean_stddev(times);
  std::string name = one_line(full_name(row, "/", ":"));
  for (auto [aggregate, value] : {std::pair("mean", mean), std::pair("median", median(times)),
                                  std::pair("stddev", stddev), std::pair("cv", stddev / mean)}) {
    json entry = google_entry(row, name + "_" + aggregate, "aggregate", value, times.size());
    entry["aggregate_name"] = aggregate;
    entry["aggregate_unit"] = std::string_view(aggregate) == "cv" ? "percentage" : "time";
    entry["iterations"] = times.size();
    list.push_back(std::move(entry));
  }
}

static void add_benchmark(json &list, const GoogleBenchmark &benchmark, Side side)
{
  std::vector<double> times = samples_of(*benchmark.main, side);
  std::string name = one_line(full_name(*benchmark.main, "/", ":"));
  for (size_t i = 0; i < times.size(); i++) {
    json entry = google_entry(*benchmark.main, name, "iteration", times[i], times.size());
    entry["repetition_index"] = i;
    for (const Row *other : benchmark.others)
      if (auto values = samples_of(*other, side); i < values.size())
        entry.emplace(one_line(other->metric), values[i]);
    list.push_back(std::move(entry));
  }
  if (times.size() > 1)
    add_aggregates(list, *benchmark.main, times);
}

static json google_context(const Report &report, Side side)
{
  const Value &environment = side == Side::Base ? report.base_environment : report.comp_environment;
  json context = {{"executable", "bench"}, {"library_build_type", "release"}};
  context["json_schema_version"] = 1;
  if (!report.started.empty())
    context["date"] = report.started;
  if (const Value *cpus = environment.find("cpus"))
    context["num_cpus"] = *cpus;
  if (const Value *load = environment.find("load"))
    context["load_avg"] = *load;
  for (const char *name : {"kernel", "cpu_model", "arch"})
    if (std::string value = environment_text(environment, name); !value.empty())
      context[name] = value;
  return context;
}

std::string format_google(const Report &report, Side side)
{
  std::vector<GoogleBenchmark> benchmarks;
  std::map<std::string, size_t> places;
  for (const Row &row : report.rows) {
    auto [place, is_new] = places.emplace(full_name(row, "/", ":"), benchmarks.size());
    if (is_new)
      benchmarks.emplace_back();
    GoogleBenchmark &benchmark = benchmarks[place->second];
    // The gated time before one that is only shown.
    const Row *other = &row;
    if (is_time_per_op(row) && (!benchmark.main || row.gated > benchmark.main->gated))
      std::swap(benchmark.main, other);
    if (other)
      benchmark.others.push_back(other);
  }
  json list = json::array();
  for (const GoogleBenchmark &benchmark : benchmarks)
    if (benchmark.main)
      add_benchmark(list, benchmark, side);
  return result::json_text({{"context", google_context(report, side)}, {"benchmarks", list}}, 1) +
         "\n";
}

} // namespace gate
