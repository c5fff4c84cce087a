// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The quick suite: what gate records and checks when nothing else is named.
#pragma once

#include "tools/bench/options.h"

namespace bench
{

// Every family, each benchmark small enough to load in some ten milliseconds. Those that need more
// CPUs than this process may use are left out.
std::vector<Selected> quick_suite();

} // namespace bench
