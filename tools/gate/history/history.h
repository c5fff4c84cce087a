// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the store keeps of a run: where, when, of which code, whether it was accepted, and one line
// of figures for each row.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/lib/result.h"

namespace gate
{

// A series: the runs of one suite on one class of machine. The executable is not part of it, or
// each build would begin a history of its own; every run names its own.
struct Series {
  std::string class_name;
  std::vector<std::string> suite; // bench's arguments without --inject

  // Eight hexadecimal digits that stand for it on a command line.
  std::string key() const;
  auto operator<=>(const Series &other) const = default;
};

// How both sides of a run were measured. Sides that take turns evict each other from the caches,
// so figures of the two kinds are not mixed.
enum class How { Alone, Interleaved };

struct Run {
  int64_t id = 0; // never given again
  Series series;
  std::string command; // "record", "check" or "accept"
  How how = How::Alone;
  std::string time; // UTC
  bool accepted = false;
  std::string reason;   // why accepted or not, one line
  std::string artefact; // sha1_hex() of the executable; empty: there was none
  uint64_t seed = 0;
  std::string revision;      // of the code that was measured
  std::string base_revision; // of what it was compared with; empty: with nothing
  std::string merge_base;    // of the two, where git tells
  Value environment = Value::object();
  // Somebody accepted it although it moved: figures from before say nothing about the level now.
  bool new_level = false;
  bool in_full = false; // all samples and the executable are still there
};

struct HistoryRow {
  std::string key; // benchmark_key()
  std::string name;
  Value parameters = Value::object();
  std::string metric;
  std::string unit;
  result::Better better = result::Better::Lower;
  result::Class kind = result::Class::Time;
  bool gated = false;
  int definition = 1;
  double center = 0; // median over loads, in unit; NaN: none could be measured
  double spread = 0; // robust_sigma() between loads, in unit
  size_t loads = 0;
  std::string verdict;          // empty: it was not judged
  std::optional<double> change; // as Row::change
};

// The verdicts of a run by (benchmark_key(), metric).
struct Judged {
  std::string verdict;
  std::optional<double> change;
};
using Judgements = std::map<std::pair<std::string, std::string>, Judged>;

std::vector<HistoryRow> history_rows(const result::Result &result, const Judgements &judgements);

} // namespace gate
