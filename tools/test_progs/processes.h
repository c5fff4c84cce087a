// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The children of this process.
#pragma once

#include <sys/types.h>

#include <vector>

namespace test
{

// Also those that have ended but were not waited for.
std::vector<pid_t> children_of_this_process();

} // namespace test
