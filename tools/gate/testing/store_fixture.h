// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Recordings made up for the tests of the store.
#pragma once

#include <string>
#include <vector>

#include "tools/gate/history/store.h"
#include "tools/gate/testing/test_results.h"

namespace gate
{

// What arguments measured: one load of each name, of so many ns.
inline Recording recording(const std::vector<std::string> &arguments,
                           const std::vector<std::string> &names, double ns = 100)
{
  Recording recording = {.arguments = arguments};
  recording.result = one_result({});
  for (const std::string &name : names)
    recording.result.benchmarks.push_back(one_benchmark(name, time_metric({{ns}})));
  return recording;
}

// Keeps it as the baseline, as gate record does. Returns how many rows were replaced.
inline size_t add(Store store, const std::string &class_name, const std::string &executable,
                  const Recording &recording)
{
  Run run = {.series = {class_name, recording.arguments},
             .command = "record",
             .time = recording.result.started,
             .accepted = true,
             .reason = "recorded",
             .seed = recording.seed,
             .revision = recording.result.tool.revision};
  return store.keep(std::move(run), executable, recording.result, {}, true).replaced;
}

inline size_t count_rows(const Baseline &baseline)
{
  size_t rows = 0;
  for (const Recording &recording : baseline.recordings)
    rows += recording.result.benchmarks.size();
  return rows;
}

} // namespace gate
