// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Runs, rows and baselines as they are in the tables. Only the store uses this. All functions work
// inside the caller's transaction and throw store_error.
#pragma once

#include "tools/gate/history/store.h"

namespace gate
{

// JSON that this store wrote. Throws store_error when it is none any more.
Value stored_json(const std::string &text);
std::string suite_text(const std::vector<std::string> &suite);
std::vector<std::string> suite_from(const std::string &text);

int64_t insert_run(const Database &database, const Run &run, const result::Result &result,
                   const Judgements &judgements);
// The result's benchmarks that are Ok become the baseline of run's class. Returns how many rows
// were there before.
size_t make_baseline(const Database &database, const Run &run, const result::Result &result);
// Drops the samples of all runs but the newest ones of each of the newest executables, and those
// that are baselines or anchors. Returns of how many.
size_t thin_out(const Database &database, size_t in_full);

std::vector<Run> read_runs(const Database &database);
Run read_run(const Database &database, int64_t id);
Recording read_recording(const Database &database, int64_t run, const std::string &where);

} // namespace gate
