// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The report in the formats of other tools (docs/reports.md). All are pure functions of one report;
// numbers never follow the locale, and what a format cannot hold in a name is replaced or escaped.
#pragma once

#include <string>
#include <vector>

#include "tools/gate/report/report.h"

namespace gate
{

std::string format_markdown(const Report &report);    // a GitHub step summary
std::string format_annotations(const Report &report); // GitHub workflow commands, one a line
std::string format_junit(const Report &report);
std::string format_ktap(const Report &report);
std::string format_openmetrics(const Report &report);
std::string format_bencher(const Report &report); // Bencher Metric Format
std::string format_kcidb(const Report &report);   // KCIDB I/O schema 5.3

// One file a side: these tools compare files.
enum class Side { Base, Comp };
std::string format_go(const Report &report, Side side);
std::string format_google(const Report &report, Side side);

// github-action-benchmark has one direction a file: metrics of which less is better, or more.
std::string format_action(const Report &report, result::Better better);

// The table of a commit message: plain ASCII, under 75 columns.
std::string format_commit(const Report &report);

// One page that needs nothing else. history: the text of --history, empty for none. Throws
// result::error for a history that cannot be read.
std::string format_html(const Report &report, const std::string &history = "");

// ---- by name ----

// --format FORMAT[=FILE]. path "-": the standard output.
struct Output {
  std::string format;
  std::string path = "-";
};

// "markdown, github, ...", for help and errors.
std::string format_names();

// Throws std::invalid_argument, one line, for a format that is unknown, and for a path that is
// empty.
Output parse_output(const std::string &text);

// Throws std::invalid_argument when two of them want the standard output. Annotations may share it:
// they are lines of a log.
void check_outputs(const std::vector<Output> &outputs);

// Writes all of them. Returns whether a format has the standard output for itself, so that no table
// should follow. Format "github" also appends its summary to $GITHUB_STEP_SUMMARY, where that is
// set. Throws std::system_error.
bool write_outputs(const Report &report, const std::vector<Output> &outputs);

// Text for a log that GitHub reads: no line of it is taken for a workflow command.
std::string without_commands(const std::string &text);

} // namespace gate
