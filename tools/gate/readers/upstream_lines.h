// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Every kind of line with figures that the kernel's bench prints, as figures with their units and
// directions. Those that our bench prints too are read by bench_line.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/gate/readers/collector.h"

namespace gate
{

struct UpstreamLine {
  enum class Kind {
    SettingUp, // "Setting up benchmark 'x'...": name
    Started,   // name
    Iter,      // one interval of about a second
    Part,      // one of several final lines that belong together, one per CPU say
    Final,     // ends a run
  };
  Kind kind = Kind::Iter;
  std::string name;
  int iteration = 0;
  double tick_us = 0; // how far the interval was off one second
  std::vector<std::pair<Shape, double>> figures;
  std::optional<int64_t> producers; // where the line tells, by a figure and its share
  std::string scenario;             // of xdp-lb
  // The counts behind the figures were divided by the interval's true length, which a Summary's
  // were not.
  bool normalised = false;
};

std::optional<UpstreamLine> parse_upstream_line(std::string_view text);

// What a log's command line ran: "$ sudo ./bench -w3 -d10 -a -p8 --nr_entries 1000 bloom-lookup".
struct BenchCommand {
  std::string name;                   // empty: none that can be told
  Value parameters = Value::object(); // that decide what is measured
  std::optional<unsigned> warmup;
};

std::optional<BenchCommand> parse_bench_command(std::string_view text);

} // namespace gate
