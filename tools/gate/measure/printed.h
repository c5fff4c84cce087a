// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What one run of a command printed, as benchmarks with one figure a metric.
#pragma once

#include <string>
#include <vector>

#include "tools/lib/result.h"

namespace gate
{

struct Printed {
  std::string format;                        // of Reading; empty: nothing that gate reads
  std::vector<result::Benchmark> benchmarks; // samples: one load with one sample, maybe NaN
};

// Any format of docs/formats.md. Throws input_error for one of them that is broken.
Printed read_printed(std::string output);

// The wall time of a whole command, in ms.
result::Benchmark wall_time(double wall_ns);

} // namespace gate
