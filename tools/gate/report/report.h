// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A run's outcome as a table for people and as JSON for programs (docs/gate-json.md).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/gate/judge/verdict.h"

namespace gate
{

struct Report {
  std::string command; // "check", "compare" or "ab"
  std::vector<Row> rows;
  std::vector<std::string> remarks; // about the run as a whole, one line each
  double alpha = 0.01;
  uint64_t seed = 0; // of check and ab
  Policy policy;
  // Not empty: this host raises more false alarms than alpha allows, so nothing that is told here
  // may block anything, and why. Exit code 3.
  std::string untrusted;
  std::string started; // UTC, 2026-11-30T10:30:25Z; empty: unknown
  // What the two sides were measured in (docs/results.md); empty objects where it is unknown.
  Value base_environment = Value::object();
  Value comp_environment = Value::object();
  // Whose cost changed, as functions.h has it.
  Value functions = Value::list();
  // Not empty: nothing could be measured on this machine, and why. Exit code 4.
  std::string skipped;
};

int exit_code(const Report &report);

// The table, the remarks, the geometric mean and, last, the line for machines.
std::string format_table(const Report &report);

std::string format_json(const Report &report);

// What format_json() wrote, of this version or a lower one. where: the name that errors begin with.
// Throws result::error.
Report parse_report(const std::string &text, const std::string &where);

// The run's verdict: the worst that a row has, "nothing" or "skipped".
std::string overall(const Report &report);

// "131.2 ns/op": four digits, whatever the locale.
std::string format_figure(double value, const std::string &unit);
// "+1.3 %", "-0.9 .. +1.3 %", "6.4 %"; "-" where there is none.
std::string format_change(const Row &row);
std::string format_interval(const Row &row);
std::string format_mde(const Row &row);
// Loads a side: "20", or "20/21" where the sides differ.
std::string format_loads(const Row &row);
// "(unchanged)" for a row that is judged and does not count, "not gated" for one that is neither.
std::string format_verdict(const Row &row);

// What tables show of a row: name, metric, base, comp, change, interval, MDE, loads, verdict.
std::vector<std::string> row_cells(const Row &row, const std::string &name);

// Which parameters tell the rows of one name apart, by name.
std::map<std::string, std::set<std::string>> telling_parameters(const std::vector<Row> &rows);

// "lookup nr_entries=1000": the name with those parameters that tell the rows of one name apart.
std::vector<std::string> short_names(const std::vector<Row> &rows);

// "slower" or "faster" on the mean, one line; empty when no time has a pair.
std::string format_mean(const std::vector<Row> &rows);

} // namespace gate
