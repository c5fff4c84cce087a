// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Series of figures, one point a run, and what change_points.h finds in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/gate/history/store.h"
#include "tools/gate/statistics/change_points.h"
#include "tools/gate/system/errors.h"

namespace gate
{

struct TrendPoint {
  double value = 0;  // in unit
  int64_t run = 0;   // of the store; 0: a file
  std::string label; // "run 12", or the file
  std::string time;
  std::string revision;
  int64_t in_full = 0; // a run with the same executable that is there in full; 0: none
  bool accepted = true;
  std::string accepted_as; // why, where somebody accepted a new level here
  std::string gap;         // why it is a gap; empty: it is none
};

// One row, measured in one way on one class of machine.
struct Trend {
  std::string class_name;
  How how = How::Alone;
  std::string name;
  Value parameters = Value::object();
  std::string metric;
  std::string unit;
  result::Better better = result::Better::Lower;
  result::Class kind = result::Class::Time;
  std::vector<TrendPoint> points; // oldest first
  // Runs that could not measure it. Nothing is made up for them, and no change comes from them.
  std::vector<TrendPoint> gaps;

  // What was found, by places of points.
  Levels levels;
  double p = 1; // that the level never changed
};

struct TrendQuery {
  std::string store;               // directory
  std::vector<std::string> import; // result files instead of the store
  std::vector<std::string> rows;   // see row_name.h; empty: all
  bool all = false;                // runs that were not accepted, too
};

// Of the store, or of files. Rows that are not gated, and those that no text of query.rows means,
// are left out. Throws usage_error if nothing is left.
std::vector<Trend> read_trends(const TrendQuery &query);

// Looks for changes in all of them: chance of any false one in all series at most alpha, by Holm.
void find_changes(std::vector<Trend> &trends, double alpha, uint64_t seed);

} // namespace gate
