// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The tables of power, as Markdown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/gate/research/power/data.h"

namespace power
{

struct JudgeOptions {
  double seconds = 2;     // of measuring per benchmark and comparison, loads included
  double tolerance = .01; // that such a run declares
  size_t trials = 100;    // comparisons per benchmark and effect
  uint64_t seed = 0;
  // Benchmarks whose maps do not fit the cache: shown, and kept out of the sums.
  std::vector<std::string> beyond_cache;
};

// By benchmark: what a unit costs and varies by, and what is found.
std::string benchmark_table(const Data &data, const JudgeOptions &options);

// The gate beside its peers: false alarms and what is found, all benchmarks that fit the cache.
std::string rules_table(const Data &data, const JudgeOptions &options);

// Both designs by statistic, without tolerance, so that nothing but the test guards.
std::string designs_table(const Data &data, const JudgeOptions &options);

// Both designs on machines made up to mislead.
std::string simulation_table(const JudgeOptions &options);

} // namespace power
