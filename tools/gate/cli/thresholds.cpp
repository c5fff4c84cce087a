// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/cli/thresholds.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <cmath>
#include <toml++/toml.h>

#include "tools/gate/cli/options.h"

namespace gate
{

static std::string place_of(const std::string &path, const toml::source_region &source)
{
  // What cannot be opened has no lines.
  return source.begin ? fmt::format("{}:{}:{}", path, source.begin.line, source.begin.column)
                      : path;
}

[[noreturn]] static void refuse(const std::string &place, const std::string &what)
{
  throw usage_error(fmt::format("{}: {}", place, what));
}

static std::string text_of(const toml::node &value, const std::string &place)
{
  auto text = value.value_exact<std::string>();
  if (!text || text->empty())
    refuse(place, "a name in quotes is needed");
  return *text;
}

// 3, 0.5 and "3 %" are per cent.
static double tolerance_of(const toml::node &value, const std::string &place)
{
  if (auto text = value.value_exact<std::string>())
    return parse_percent(place, *text);
  auto number = value.is_number() ? value.value<double>() : std::nullopt;
  if (!number || !std::isfinite(*number) || *number < 0)
    refuse(place, "the tolerance is no percentage (3, 0.5, \"3 %\")");
  return *number / 100;
}

static Threshold threshold_of(const toml::node &node, const std::string &path)
{
  const toml::table *table = node.as_table();
  Threshold threshold = {.place = place_of(path, node.source())};
  if (!table)
    refuse(threshold.place, "[[threshold]] begins one");
  bool has_tolerance = false;
  for (const auto &[key, value] : *table) {
    std::string place = place_of(path, key.source());
    if (key == "benchmark")
      threshold.benchmarks = text_of(value, place);
    else if (key == "metric")
      threshold.metric = text_of(value, place);
    else if (key == "tolerance")
      threshold.tolerance = tolerance_of(value, place);
    else
      refuse(place, fmt::format("unknown key '{}' (benchmark, metric, tolerance)", key.str()));
    has_tolerance |= key == "tolerance";
  }
  if (!has_tolerance)
    refuse(threshold.place, "a threshold without a tolerance");
  return threshold;
}

std::vector<Threshold> read_thresholds(const std::string &path)
{
  std::vector<Threshold> thresholds;
  toml::table file;
  try {
    file = toml::parse_file(path);
  } catch (const toml::parse_error &error) {
    refuse(place_of(path, error.source()), std::string(error.description()));
  }
  for (const auto &[key, value] : file) {
    if (key != "threshold" || !value.is_array())
      refuse(place_of(path, key.source()),
             fmt::format("unknown key '{}' ([[threshold]] begins one)", key.str()));
    for (const toml::node &each : *value.as_array())
      thresholds.push_back(threshold_of(each, path));
  }
  return thresholds;
}

static void check_threshold(const Threshold &threshold,
                            const std::vector<const result::Result *> &known)
{
  bool has_benchmark = false;
  for (const result::Result *each : known)
    for (const result::Benchmark &benchmark : each->benchmarks)
      if (fnmatch(threshold.benchmarks.c_str(), benchmark.name.c_str(), 0) == 0) {
        has_benchmark = true;
        for (const result::Metric &metric : benchmark.metrics)
          if (threshold.metric.empty() || metric.name == threshold.metric)
            return;
      }
  if (!has_benchmark)
    refuse(threshold.place, fmt::format("no benchmark is '{}'", threshold.benchmarks));
  if (!threshold.metric.empty())
    refuse(threshold.place, fmt::format("no benchmark '{}' has a metric '{}'", threshold.benchmarks,
                                        threshold.metric));
}

void check_thresholds(const std::vector<Threshold> &thresholds,
                      const std::vector<const result::Result *> &known)
{
  for (const Threshold &threshold : thresholds)
    check_threshold(threshold, known);
}

} // namespace gate
