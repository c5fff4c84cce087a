// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the actions of gate baseline share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/gate/cli/options.h"
#include "tools/gate/history/store.h"

namespace gate
{

// The baseline of one series, as far as no other series has replaced it.
struct InForce {
  Run run; // the newest one that it takes rows from
  std::vector<Recording> recordings;
  size_t rows = 0;     // benchmarks
  size_t runs = 0;     // of the series
  size_t accepted = 0; // of these
};

std::vector<InForce> baselines_in_force(const Store &store);

// By its key or the beginning of it. Throws usage_error.
InForce find_baseline(const Store &store, const std::string &key);

// Nothing if text is no number of a run.
std::optional<int64_t> run_number(const std::string &text);

int baseline_list(const Options &options);
int baseline_show(const Options &options);

} // namespace gate
