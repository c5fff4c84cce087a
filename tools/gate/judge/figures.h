// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// From the samples of a metric to one figure a load.
#pragma once

#include <string>
#include <vector>

#include "tools/lib/result.h"

namespace gate
{

struct Figures {
  std::vector<double> loads; // NaN: no usable sample in this load
  size_t samples = 0;        // that were looked at
  size_t dropped = 0;        // not numbers, or a time of zero
  std::string invalid;       // why nothing of this may be compared; empty: it may

  std::vector<double> usable() const; // loads without NaN
};

enum class PerLoad {
  // The faster quartile of a load's epochs. Preemption and interrupts only ever add time, so the
  // fast end varies least; the very fastest epoch varies more than the quartile where maps do not
  // fit the cache, and is blind to a slowdown that spares one epoch of ten (docs/measurements.md).
  Quartile,
  // For samples of unknown length, written by other runs.
  Median,
};

// factor: multiplies each sample (conversion of units).
Figures figures_of(const result::Metric &metric, PerLoad statistic, double factor = 1);

} // namespace gate
