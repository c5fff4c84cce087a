// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench --serve: the line protocol of docs/serve.md, by which gate interleaves two builds.
#pragma once

#include "tools/bench/options.h"

namespace bench
{

// Answers requests on stdin until it ends or "quit". Returns the exit code.
int serve(const Options &options);

} // namespace bench
