// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench --format commit: the figures of this run, and of a stored one, as gate writes them for a
// commit message.
#pragma once

#include "tools/bench/session.h"

namespace bench
{

// Throws early_exit when --before cannot be read, std::system_error when --json cannot be written.
void check_files(const Options &options);

// Throws output_error, and early_exit as check_files().
void print_commit_table(const Options &options, const Session &session);

} // namespace bench
