// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/per_cpu_rates.h"

#include <fmt/format.h>
#include <sched.h>

#include "tools/bench/reports.h"
#include "tools/lib/text.h"

namespace bench
{

constexpr char prefix[] = "cpu";

void PerCpuRates::add(const Counts &counts)
{
  std::lock_guard guard(x_lock);
  x_counts[sched_getcpu()] += counts;
}

Readings PerCpuRates::take()
{
  std::lock_guard guard(x_lock);
  Readings readings;
  for (const auto &[cpu, counts] : x_counts)
    if (counts.ns)
      readings[fmt::format("{}{}", prefix, cpu)] = static_cast<double>(counts.ops()) / counts.ns;
  x_counts.clear();
  return readings;
}

std::vector<CpuRate> cpu_rates(const std::vector<Sample> &samples)
{
  std::map<int, std::vector<double>> rates;
  for (const Sample &sample : samples)
    for (const auto &[name, rate] : sample.readings)
      if (name.rfind(prefix, 0) == 0)
        if (auto cpu = parse_whole(name.substr(sizeof(prefix) - 1)))
          rates[static_cast<int>(*cpu)].push_back(rate);
  std::vector<CpuRate> all;
  for (const auto &[cpu, values] : rates) {
    MeanStddev both = mean_stddev(values);
    all.push_back({cpu, both.mean, both.stddev, values.size()});
  }
  return all;
}

} // namespace bench
