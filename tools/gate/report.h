// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A run's outcome as a table for people and as JSON for programs (docs/gate-json.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/gate/verdict.h"

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
  // Not empty: nothing could be measured on this machine, and why. Exit code 4.
  std::string skipped;
};

int exit_code(const Report &report);

// The table, the remarks, the geometric mean and, last, the line for machines.
std::string format_table(const Report &report);

std::string format_json(const Report &report);

// "131.2 ns/op": four digits, whatever the locale.
std::string format_figure(double value, const std::string &unit);

} // namespace gate
