// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The lines that the kernel's bench prints: written here, read here, nowhere else.
// A number is followed by a unit letter or word; "±" is UTF-8 when written and any token when read,
// since a console in the C locale breaks it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bench_line
{

// A mean over samples and their sample standard deviation, in the unit of the line.
struct Spread {
  double mean = 0;
  double stddev = 0;
  bool operator==(const Spread &) const = default;
};

enum class Kind { SettingUp, Started, Iter, Summary };

// Hits, drops and their sum, in M/s ("hits ... drops ... total operations").
struct HitsDrops {
  Spread hits, drops, total;
  double per_producer = 0;
  bool operator==(const HitsDrops &) const = default;
};

// Ops: throughput in <scale> ops/s (scale 'M' or 'K') and latency in <unit> ("ns", "ms"; "insns").
struct Ops {
  Spread throughput;
  double per_producer = 0;
  char scale = 'M';
  double latency = 0; // Summary only
  std::string unit = "ns";
  bool operator==(const Ops &) const = default;
};

// A count of false positives among all operations, as the kernel's bench counts them.
struct FalseHits {
  int64_t false_hits = 0;
  int64_t total = 0;
  double percentage = 0;
  bool operator==(const FalseHits &) const = default;
};

// htab-mem: ops of 64 elements per producer in k/s, memory in MiB. Memory that could not be read is
// absent and printed as "n/a".
struct HtabMem {
  Spread ops;
  std::optional<Spread> memory;
  std::optional<double> peak; // Summary only
  bool operator==(const HtabMem &) const = default;
};

// Where the clock counts instructions there is no throughput, and the place of the latency in the
// Summary of any benchmark shows them.
struct Instructions {
  double per_op = 0;
  bool operator==(const Instructions &) const = default;
};

struct Line {
  Kind kind = Kind::Iter;
  std::string name;   // SettingUp, Started
  int iteration = 0;  // Iter
  double tick_us = 0; // Iter: how far the interval was off its nominal length
  std::optional<HitsDrops> hits_drops;
  std::optional<Ops> ops;
  std::optional<FalseHits> false_hits;
  std::optional<HtabMem> htab_mem;
  std::optional<Instructions> instructions; // Summary only
};

// The line of the kernel's bench, without the newline. Exactly one of the optionals is set for Iter
// and Summary.
std::string format(const Line &line);

// The line read back; nullopt for anything that is not one of these lines.
std::optional<Line> parse(std::string_view text);

// The lines of the kernel's run scripts: a name in 20 columns, then the figures that matter.
std::string format_table_row(std::string_view name, const Line &summary);

} // namespace bench_line
