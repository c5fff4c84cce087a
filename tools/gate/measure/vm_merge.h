// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One result out of several boots of the same kernel with the same bench: each boot is one load,
// and what bench measured in it (its own loads) are the samples of that load.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/lib/result.h"

namespace gate
{

struct Boot {
  uint64_t seed = 0;
  result::Result result;
};

// The boots are not of one kernel, one bench or one machine. what() is one line.
class merge_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// boots: at least one. A benchmark that failed, was skipped or left out a figure in some boots only
// is failed as a whole: what is in the result was measured in every boot. environment.vm.seeds
// lists the seeds. Throws merge_error.
result::Result merge_boots(const std::vector<Boot> &boots);

} // namespace gate
