// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/measure/printed.h"

#include <limits>

#include "tools/gate/judge/figures.h"
#include "tools/gate/readers/reading.h"
#include "tools/gate/statistics/statistics.h"

namespace gate
{

using result::Benchmark;
using result::Metric;

// A process is one unit: its loads, if it made several, become one figure.
static void merge_loads(Benchmark &benchmark)
{
  for (Metric &metric : benchmark.metrics) {
    Figures figures = figures_of(metric, PerLoad::Median);
    if (metric.reason.empty())
      metric.reason = figures.invalid;
    double value = figures.invalid.empty() ? median(figures.usable())
                                           : std::numeric_limits<double>::quiet_NaN();
    metric.samples = {{value}};
  }
}

Printed read_printed(std::string output)
{
  try {
    Input input(std::move(output), "standard output");
    Reading reading = read_results(input);
    for (Benchmark &benchmark : reading.result.benchmarks)
      merge_loads(benchmark);
    return {reading.format, std::move(reading.result.benchmarks)};
  } catch (const unknown_input &) {
    return {};
  }
}

Benchmark wall_time(double wall_ns)
{
  return {.name = "command",
          .op = "the whole command, from its start to its end",
          .metrics = {{.name = "wall", .unit = "ms", .gated = true, .samples = {{wall_ns / 1e6}}}}};
}

} // namespace gate
