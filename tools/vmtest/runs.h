// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// All the guests that a command line asks for: each kernel with each seed, one after another or
// several at a time.
#pragma once

#include <vector>

#include "tools/vmtest/options.h"
#include "tools/vmtest/table.h"

namespace vmtest
{

// One report a guest, in the order of the kernels and seeds as given. Throws outcome_error and
// usage_error for what concerns all of them.
std::vector<RunReport> run_all(const Options &options);

} // namespace vmtest
