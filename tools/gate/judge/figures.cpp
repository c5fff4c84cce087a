// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/gate/judge/exact.h"
#include "tools/gate/statistics/statistics.h"

namespace gate
{

using result::Better;
using result::Class;
using result::Metric;

// More than this share of unusable samples is a fault of the measurement, not of a sample.
static constexpr double most_dropped = 0.2;

std::vector<double> Figures::usable() const { return finite(loads); }

static double load_figure(const Metric &metric, PerLoad statistic, std::vector<double> values)
{
  if (values.empty())
    return std::numeric_limits<double>::quiet_NaN();
  if (statistic == PerLoad::Median || metric.kind != Class::Time)
    return median(std::move(values));
  return quantile(std::move(values), metric.better == Better::Higher ? 0.75 : 0.25);
}

static void check(Figures &figures, const Metric &metric, size_t zeros)
{
  bool is_time = metric.kind == Class::Time;
  if (!figures.invalid.empty() || figures.samples == 0)
    return;
  if (figures.dropped == figures.samples)
    figures.invalid = zeros && is_time ? "every sample is zero" : "no sample is a number";
  else if (is_time && zeros > most_dropped * figures.samples)
    figures.invalid =
        fmt::format("{} of {} samples are zero: the clock is too coarse for so few ops", zeros,
                    figures.samples);
}

Figures figures_of(const Metric &metric, PerLoad statistic, double factor)
{
  Figures figures;
  size_t zeros = 0;
  for (const std::vector<double> &load : metric.samples) {
    std::vector<double> values;
    for (double sample : load) {
      figures.samples++;
      zeros += sample == 0;
      if (sample < 0 && metric.unit != event_unit) // those are net, and few
        figures.invalid = fmt::format("negative sample {}", sample);
      if (!std::isfinite(sample) || (sample == 0 && metric.kind == Class::Time))
        figures.dropped++;
      else if (!std::isfinite(sample * factor))
        figures.invalid = fmt::format("sample {} is too large to be converted", sample);
      else
        values.push_back(sample * factor);
    }
    figures.loads.push_back(load_figure(metric, statistic, std::move(values)));
  }
  check(figures, metric, zeros);
  return figures;
}

} // namespace gate
