// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the tests of the readers share: texts and files read, and their figures looked up.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tools/gate/readers/reading.h"
#include "tools/lib/json.h"
#include "tools/lib/unit_test.h"

namespace gate
{

inline Reading read_text(std::string text, bool partial = false)
{
  Input input(std::move(text), "f");
  return read_results(input, partial);
}

// A file of tools/gate/readers/data.
inline Reading read_data(const std::string &name) { return read_results(READERS_DATA "/" + name); }

inline const result::Benchmark &
benchmark_of(const Reading &reading, const std::string &name, const char *parameters = "{}",
             const std::source_location &at = std::source_location::current())
{
  std::string key = result::benchmark_key(
      {.name = name, .parameters = to_value(result::json::parse(parameters))});
  for (const result::Benchmark &benchmark : reading.result.benchmarks)
    if (result::benchmark_key(benchmark) == key)
      return benchmark;
  std::string all;
  for (const result::Benchmark &benchmark : reading.result.benchmarks)
    all += " " + result::benchmark_key(benchmark);
  unit_test::fail("no " + key + " among" + all, at);
}

inline const result::Metric &
metric_of(const result::Benchmark &benchmark, const std::string &name,
          const std::source_location &at = std::source_location::current())
{
  auto same = [&](const result::Metric &metric) { return metric.name == name; };
  auto found = std::find_if(benchmark.metrics.begin(), benchmark.metrics.end(), same);
  unit_test::expect(found != benchmark.metrics.end(), benchmark.name + " has no " + name, at);
  return *found;
}

inline std::string all_remarks(const Reading &reading)
{
  std::string all;
  for (const std::string &remark : reading.remarks)
    all += remark + "\n";
  return all;
}

} // namespace gate
