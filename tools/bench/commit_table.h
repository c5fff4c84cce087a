// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench --format commit: the figures of this run, and of a stored one, as gate writes them for a
// commit message.
#pragma once

#include "tools/bench/session.h"

namespace bench
{

// Throws early_exit when --before cannot be read.
void check_before(const Options &options);

// Throws output_error, and as check_before().
void print_commit_table(const Options &options, const Session &session);

} // namespace bench
