// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The file of raw units that power records once and judges many times. JSON, one object a line:
//
//   {"schema": "bpfgate-power", "version": 1, "class": "time", "environment": {...},
//    "benchmarks": ["lpm-trie-update nr_entries=1000", ...], ...}
//   {"benchmark": 0, "effect": 0.03, "round": 0, "at_s": 12.5, "load": 4.1, "second": true,
//    "wall_ms": 31.5, "base": [52.1, ...], "comp": [53.6, ...]}
//
// A line after the first is one unit: a fresh load of both sides, the time per op of each epoch in
// the order of running. effect: by how much comp was slowed, 0 for A/A. second: comp was loaded
// last. Class "exact" is a recording under icount: figures are instructions and need no test.
#pragma once

#include <string>
#include <vector>

#include "tools/lib/json.h"
#include "tools/lib/result.h"

namespace power
{

struct Unit {
  size_t round = 0;    // measured together, in a balanced random order
  double at_s = 0;     // since the begin of the recording
  double load = 0;     // of the machine, average of a minute
  double wall_ms = 0;  // with loading and unloading
  bool second = false; // comp was loaded last
  std::vector<double> base, comp;
};

// All units of one benchmark at one injected effect, in the order of measuring.
struct Series {
  std::string benchmark;
  double effect = 0;
  std::vector<Unit> units;
};

struct Data {
  result::json header;
  std::vector<std::string> benchmarks;
  std::vector<Series> series; // by benchmark, then effect

  bool exact() const { return header.value("class", "time") == "exact"; }
  const Series *find(const std::string &benchmark, double effect) const;
  std::vector<double> effects() const; // without 0, ascending
};

constexpr const char *schema = "bpfgate-power";
constexpr int version = 1;

// Throws std::runtime_error with one line: file, line, what is wrong.
Data read_data(const std::string &path);

std::string format_unit(size_t benchmark, double effect, const Unit &unit);

} // namespace power
