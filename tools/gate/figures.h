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
  // The best of a load's epochs. Preemption and interrupts only ever add time, so the minimum has
  // an eighth of the median's spread on a busy machine (log ratio: IQR 0.5 % against 8.9 %); what
  // it
  // cannot see is a slowdown that leaves some of the 200 us epochs untouched.
  Floor,
  // For samples of unknown length, written by other runs.
  Median,
};

// factor: multiplies each sample (conversion of units).
Figures figures_of(const result::Metric &metric, PerLoad statistic, double factor = 1);

} // namespace gate
