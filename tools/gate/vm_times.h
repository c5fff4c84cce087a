// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate ab --kernel-a K1 --kernel-b K2 --time: one kernel's times against another's.
#pragma once

#include "tools/gate/options.h"

namespace gate
{

// Prints its outcome and returns the exit code. Throws as count_instructions() does.
int compare_kernel_times(const Options &options);

} // namespace gate
