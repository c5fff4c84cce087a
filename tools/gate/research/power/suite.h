// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Whole runs of the gate, resampled from a recording: every benchmark is a row of the same family,
// as in gate check, and at most one of them is slowed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/gate/research/power/data.h"
#include "tools/gate/research/power/markdown.h"
#include "tools/gate/research/power/resample.h"
#include "tools/gate/research/power/rules.h"

namespace power
{

// Median wall time of one unit, with loading and unloading.
double unit_ms(const Data &data, const std::string &benchmark);

// How many units fit into that time, at least one.
size_t affordable_units(const Data &data, const std::string &benchmark, double seconds);

struct CleanRuns {
  std::map<std::string, Share> regressed, unchanged; // by benchmark
  Share runs;                                        // with at least one false alarm
};

struct SlowedRuns {
  Share found;  // the slowed benchmark was called regressed
  Share alarms; // among the rows of the others
};

class SuiteRuns {
public:
  // data must outlive this. seconds: of measuring, per benchmark.
  SuiteRuns(const Data &data, double seconds, size_t trials, uint64_t seed);

  CleanRuns clean(const GateRule &rule);
  SlowedRuns slowed(const std::string &benchmark, double effect, const GateRule &rule);

private:
  std::vector<std::vector<Unit>> clean_rows(const GateRule &rule);

  const Data &x_data;
  size_t x_trials;
  Resample x_resample;
  std::vector<size_t> x_units; // affordable, by benchmark
};

} // namespace power
