// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The command line of gate. What it does not know goes to bench.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/gate/cli/baseline_options.h"
#include "tools/gate/history/stored_times.h"
#include "tools/gate/history/trend.h"
#include "tools/gate/judge/verdict.h"
#include "tools/gate/report/measured_apart.h"
#include "tools/gate/report/writers/writers.h"
#include "tools/gate/system/errors.h"

namespace gate
{

// Of record, check and ab in virtual machines.
struct VmOptions {
  std::array<std::string, 2> kernels; // of record and check the first only; "": no virtual machine
  std::string vmtest;                 // path of an executable
  std::string baseline;               // file, of record and check
  std::string figures;                // file for what check measured; "": none
  std::string model;                  // whose events are counted, too; "": none
  uint64_t first_seed = 1;
  size_t seeds = 5;
  size_t jobs = 1;
  std::optional<long> timeout_s;
};

struct Options {
  std::string command; // "record", "check", "compare", "ab", ...
  std::string store;
  std::string bench; // path of an executable; empty for compare
  std::vector<std::string> bench_arguments;
  std::string base, comp;   // files of compare, commands of ab, report and row of explain
  std::string report;       // of report: what --json wrote
  std::string html;         // of report: the page to write
  std::string history;      // of report: for that page
  bool whole_suite = false; // nothing was selected, so all of the quick suite is

  double tolerance = 0.05;               // fractions
  std::optional<double> count_tolerance; // of counts of instructions, where it was given
  // Of times that are not measured interleaved and have too little history, see stored_times.h.
  std::optional<double> stored_tolerance;
  std::optional<double> drift_budget; // since the anchor, see drift.h
  bool since_anchor = false;          // tolerance is that budget: of every kind of row
  std::string anchor;                 // its name; of compare: or a result file
  std::string waivers;                // path of a file; empty: the store's
  double alpha = 0.01;
  size_t units = 20;
  size_t max_units = 200;
  long timeout_ms = 120000; // of one answer of bench
  uint64_t seed = 0;
  size_t trials = 20;  // of selftest: whole checks
  bool aa = false;     // of selftest: said, since there is one kind only
  size_t pairs = 40;   // of ab
  double budget_s = 0; // of ab: as many pairs as fit; 0: pairs
  static constexpr size_t most_pairs = 2000;
  bool if_missing = false; // record: keep an existing baseline
  bool strict = false;
  bool bisect = false;
  bool show_tail = false;   // of check: rows of the slow end of epochs, too
  bool gate_tail = false;   // they may fail the gate; with show_tail
  bool is_selftest = false; // check: the same code on both sides may regress, which is counted
  bool allow_foreign = false;
  std::string json;
  std::vector<Output> outputs; // of --format
  std::map<std::string, std::string> renames;
  std::map<std::string, std::string> directions; // metric -> "lower", "higher" or "none"
  std::vector<std::string> gated;      // compare: metrics that are judged though they would not be
  std::vector<Threshold> thresholds;   // of --thresholds
  std::array<std::string, 2> sections; // compare: headings of the two halves of base; or ""
  std::vector<std::string> filters;    // compare: globs; only benchmarks with such names; none: all
  VmOptions vm;
  BaselineOptions baseline;
  TrendQuery trend;     // with the store beside it
  bool confirm = false; // of trend: measure both sides of each change again
  bool partial = false; // compare: what comes before the place where a file breaks off

  bool in_vm() const { return !vm.kernels[0].empty(); }
  StoredRule stored_rule() const
  {
    return {tolerance, alpha, stored_tolerance.has_value(), thresholds};
  }
  Comparison comparison() const;
  Policy policy() const { return {.strict = strict, .bisect = bisect}; }
};

// Help or version: text for the standard output, then exit 0.
struct early_exit {
  std::string text;
};

// Throws usage_error or early_exit.
Options parse_options(int argc, const char *const *argv);

// "5", "5%", "0.5 %", "150%", "1e-3": the fraction. Throws usage_error for anything else, for
// negative numbers and for what is not finite. name: of the option.
double parse_percent(const std::string &name, const std::string &text);

// The whole number from least to most. Throws usage_error for anything else.
uint64_t parse_count(const std::string &name, const std::string &text, uint64_t least,
                     uint64_t most);

// The arguments without --inject, which changes the figures but not what is selected.
std::vector<std::string> without_inject(const std::vector<std::string> &arguments);

} // namespace gate
