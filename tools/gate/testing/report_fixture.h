// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A report with every verdict and with names that try to be markup, for the tests of the writers.
#pragma once

#include <limits>
#include <sstream>

#include "tools/gate/report/writers/writers.h"
#include "tools/lib/unit_test.h"

namespace gate
{

inline const std::string hostile = "\"<b>|`#::error::%0A'&\n::x\x01\xff";

inline Row one_row(const std::string &name, Verdict verdict)
{
  Row row = {.name = name, .metric = "latency", .unit = "ns/op"};
  row.parameters = {{"nr_entries", 1000}};
  row.verdict = verdict;
  row.base = 100;
  row.comp = 130;
  row.change = .3;
  row.interval = {.25, .35};
  row.mde = .06;
  row.tolerance = .05;
  row.level = .005;
  row.method = "ab";
  row.base_loads = row.comp_loads = 3;
  row.base_samples = {99, 100, 101};
  row.comp_samples = {129, 130.5, std::numeric_limits<double>::quiet_NaN()};
  return row;
}

inline Report all_verdicts()
{
  Report report = {.command = "check"};
  for (size_t i = 0; i < verdict_count; i++) {
    auto verdict = static_cast<Verdict>(i);
    report.rows.push_back(one_row(to_string(verdict), verdict));
  }
  report.rows.push_back(one_row(hostile, Verdict::Regressed));
  report.rows.back().parameters = {{hostile, hostile}};
  report.rows.back().note = hostile;
  report.remarks = {hostile};
  report.started = "2026-11-30T15:05:43Z";
  report.comp_environment = {{"cpu_model", hostile}, {"arch", "x86_64"}, {"kernel", "6.1"}};
  report.base_environment = report.comp_environment;
  return report;
}

inline size_t count_of(const std::string &text, const std::string &part)
{
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    count++;
  return count;
}

inline void expect_no(const std::string &text, const std::string &part,
                      const std::source_location &at = std::source_location::current())
{
  unit_test::expect(text.find(part) == text.npos, fmt::format("has '{}'", part), at);
}

inline std::vector<std::string> lines_of(const std::string &text)
{
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

} // namespace gate
