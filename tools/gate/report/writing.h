// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the writers share: verdicts in the notions of other formats, names, sentences about rows.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/gate/report/report.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/lib/json.h"

namespace gate
{

// What formats with four outcomes make of a verdict. It agrees with the exit code: Fail is what
// makes it 1, Error what makes it 3.
enum class Outcome { Pass, Fail, Error, Skip };
Outcome outcome_of(const Row &row, const Report &report);

// What is wrong with the run as a whole, beyond its rows: nothing was compared, or the host is not
// to be trusted. Empty: nothing. It makes the exit code 3.
std::string run_error(const Report &report);

// The gated rows, worst verdict first.
std::vector<const Row *> worst_first(const Report &report);

// "lookup/nr_entries=1000/random=false" with before "/" and between "=": the name and all
// parameters, whatever other rows there are.
std::string full_name(const Row &row, std::string_view before, std::string_view between);
// The same with blanks, then the metric.
std::string row_title(const Row &row);

// The run in one sentence: "1 of 22 rows regressed".
std::string headline(const Report &report);

// "84.49 ns/op, was 80.1 ns/op: +5.0 % (+3.1 .. +6.2 %), tolerance 5 %; note"
std::string describe(const Row &row);

// "5 %", "0.5 points": of Row::tolerance.
std::string format_tolerance(const Row &row);

// The text with other texts in place of some characters, for markup that gives them a meaning.
using Replacements = std::map<char, std::string>;
std::string replaced(const std::string &text, const Replacements &replacements);

// Valid UTF-8 without control characters: what replaces a line break is a blank.
std::string one_line(const std::string &text);

struct MeanStddev {
  double mean, stddev; // sample standard deviation, 0 for one value
};
MeanStddev mean_stddev(const std::vector<double> &values);

// A member of an environment as text, "" where it is absent.
std::string environment_text(const Value &environment, const char *name);

} // namespace gate
