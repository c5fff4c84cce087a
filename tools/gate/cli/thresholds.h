// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A file of thresholds, TOML (docs/gate.md).
#pragma once

#include <string>
#include <vector>

#include "tools/gate/judge/compare.h"

namespace gate
{

// Throws usage_error, with line and column.
std::vector<Threshold> read_thresholds(const std::string &path);

// A name that none of the results has is a slip of the pen, and would loosen or tighten nothing.
// Throws usage_error.
void check_thresholds(const std::vector<Threshold> &thresholds,
                      const std::vector<const result::Result *> &known);

} // namespace gate
