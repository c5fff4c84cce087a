// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What gate selftest found out about this host, and what follows from it for gate check.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/gate/cli/options.h"
#include "tools/gate/report/report.h"

namespace gate
{

struct SelfTest {
  std::string time;                      // UTC
  size_t trials = 0, alarms = 0;         // whole checks, those with a row that regressed
  double bound = 1;                      // of the rate of such checks, exact, at 95 %
  double alpha = 0.01, tolerance = 0.05; // of each check
  // By name and parameters: the smallest change that nine of ten checks see; the median over runs.
  std::map<std::string, double> smallest_effects;
};

// The exact (Clopper-Pearson) one-sided 95 % upper bound of a rate.
double upper_bound_of_rate(size_t hits, size_t trials);

// Whether so many alarms are more than a rate of alpha explains: a chance of 5 % or less.
bool refutes(const SelfTest &test, double alpha);

// Kept beside the baselines, by machine class. read: nothing where there was no self-test, or one
// of version 1, which counted rows; throws result::error for a damaged file.
void keep_selftest(const std::string &store, const std::string &class_name, const SelfTest &test);
std::optional<SelfTest> read_selftest(const std::string &store, const std::string &class_name);

// Makes a check on this machine class untrusted where the self-test refutes its alpha.
void apply_selftest(Report &report, const Options &options, const std::string &class_name);

// A check whose outcome is returned instead of told; of check.cpp.
Report check_itself(const Options &options);

} // namespace gate
