// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The command line of bench: that of the kernel's bench, several names and globs, and what is ours.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/bench.h"

namespace bench
{

constexpr int exit_failed = 1, exit_skipped = 4, exit_usage = 64, exit_signal = 128;

// One benchmark to run, with the values of its options.
struct Selected {
  const Descriptor *descriptor = nullptr;
  Params params;
  double inject_pct = 0;
};

struct Options {
  uint64_t duration = 5; // intervals measured, and one more, as upstream
  uint64_t warmup = 1;   // intervals discarded
  std::chrono::milliseconds interval{1000};
  unsigned loads = 1;             // fresh object and maps for each
  std::vector<int> producer_cpus; // empty: all allowed
  bool verbose = false, quiet = false, list = false, serve = false, net = false, quick = false;
  bool probe = false, affinity = false;
  std::string suite;                // "", "quick" or "seeds"
  bool commit = false;              // --format commit: a table at the end instead of lines
  std::string before;               // of that table: a stored result
  std::string json;                 // file to write, "-" for stdout, "" for none
  std::vector<std::string> command; // as given
  std::vector<Selected> selected;
};

// What main() returns at once: help, version, or one line about what is wrong with the command.
struct early_exit {
  int code;
  std::string text; // for stdout when code is 0, else for stderr
};

// Throws early_exit.
Options parse_command_line(int argc, char **argv);

// A benchmark with all its options at their defaults, then these ("nr_entries" -> "1000", flags
// with "1"). Throws usage_error for an option that it does not have or a value out of range.
Selected select(const std::string &name, unsigned producers,
                const std::vector<std::pair<std::string, std::string>> &values);

// What an option takes and what it is otherwise: "--nr_entries 1..100 (5)".
std::string describe(const Option &option);

// "lpm-trie-lookup --nr_entries 1000 --random": options that differ from their defaults.
std::string describe(const Selected &selected);

} // namespace bench
