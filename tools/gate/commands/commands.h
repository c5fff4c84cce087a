// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The commands. Each prints its outcome and returns the exit code.
#pragma once

#include <fmt/format.h>

#include "tools/gate/cli/options.h"
#include "tools/gate/history/store.h"
#include "tools/gate/measure/interleave.h"
#include "tools/gate/report/report.h"
#include "tools/lib/atomic_file.h"

namespace gate
{

int record(const Options &options);
int check(const Options &options);
int compare(const Options &options);
int ab(const Options &options);
int explain(const Options &options);
int selftest(const Options &options);
int report(const Options &options);
int baseline(const Options &options);
int trend(const Options &options);
int fingerprint(const Options &options);

// The current bench against one recording of the store, instead of the baseline. Nothing is kept.
Report check_against(const Options &options, const Recording &against);

// The list of the bench that is judged: its refusals decide the exit code. Throws usage_error when
// bench refused its arguments, nothing_measurable, or serve_error.
result::Result list_bench(Interleave &bench, size_t command);

// To the standard output.
template <class... Values> void say(fmt::format_string<Values...> format, Values &&...values)
{
  write_file("-", fmt::format(format, std::forward<Values>(values)...));
}

// The waivers of --waivers, or of the store; and the file they are in.
void apply_waivers(Report &report, const Options &options);
std::string waivers_path(const Options &options);

// The report of the last check or ab, which the store keeps for gate explain.
std::string last_report_path(const std::string &store);

// Writes --json and --format, and prints the table. Returns the exit code.
int finish(const Report &report, const Options &options);

} // namespace gate
