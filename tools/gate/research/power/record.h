// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// power record: measures a bench against itself and against itself slowed on purpose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace power
{

struct RecordOptions {
  std::string path, bench;
  std::vector<std::string> bench_arguments;
  std::vector<double> effects = {.005, .01, .02, .03, .05, .1};
  size_t units = 20;     // of a round and an effect; A/A gets three times as many
  double budget_s = 600; // no round begins that would not end within
  unsigned burn = 0;     // threads that keep CPUs busy meanwhile
  uint64_t seed = 0;
};

// Appends each round when it is complete: what was interrupted is usable. Returns the exit code.
int record(const RecordOptions &options);

} // namespace power
