// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Parts of the environment that change what an op costs and stay the same over a reboot.
#pragma once

#include <string>

#include "tools/lib/value.h"

// Sizes of the caches of the first CPU as the kernel tells them: {"L1d": "32K", "L2": "1024K"}.
// Empty where it tells none.
Value cache_sizes();

// The shared libraries of this process by file name, each with its build ID in hexadecimal; those
// that have none are left out. The kernel's own (vDSO) is no library.
Value shared_libraries();

// The chosen one of a kernel's list, "always [madvise] never". Empty where there is none.
std::string chosen_in_brackets(const std::string &text);
