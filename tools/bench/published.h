// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench --suite seeds: the sweeps behind the published tables (benchs/published/*.tsv), each
// published figure beside ours.
#pragma once

#include "tools/bench/session.h"

namespace bench
{

// Runs every sweep, or with options.quick fewer sizes for shorter, and prints the tables. Rows go
// to the session's result file. Returns early when a signal arrives.
void show_published(const Options &options, Session &session, Signals &signals);

} // namespace bench
