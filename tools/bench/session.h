// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Runs what the command line selected, prints the lines of the kernel's bench and collects the
// result file.
#pragma once

#include <cerrno>
#include <optional>
#include <system_error>

#include "tools/bench/counted.h"
#include "tools/bench/modelled.h"
#include "tools/bench/options.h"
#include "tools/bench/runner.h"
#include "tools/lib/progress.h"

namespace bench
{

// Nobody takes what is printed: a closed pipe, a full disk.
class output_error : public std::system_error {
public:
  output_error()
      : std::system_error(errno, std::generic_category(), "cannot write to the standard output")
  {
  }
};

// Flushes stdout, except while instructions are counted: who takes the output runs on the same CPU.
// 0, or EOF as fflush().
int flush_output();

// What came of one benchmark.
struct Outcome {
  result::Benchmark row;          // status, reason, metrics
  std::vector<Sample> samples;    // of all loads
  std::vector<Counted> counted;   // instead, where the clock counts instructions: one per load
  std::vector<Modelled> modelled; // besides, where a model runs
};

class Session {
public:
  Session(const Options &options, Signals &signals);

  // Runs one benchmark, all its loads. Never throws for what goes wrong with the benchmark: that is
  // in row.status. Throws output_error. print: lines on stdout.
  Outcome run(const Selected &selected, bool print);

  // Remembers the row for the result file.
  void keep(const result::Benchmark &row) { x_result.benchmarks.push_back(row); }
  // Writes --json if asked for. Throws std::system_error.
  void write();
  const result::Result &result() const { return x_result; }
  // 0, exit_failed, exit_skipped, or exit_signal + the signal.
  int exit_code();

private:
  void run_load(const Selected &selected, unsigned load, bool print,
                std::vector<std::vector<Sample>> &loads, result::Benchmark &row);

  void run_timed(const Selected &selected, bool print, Outcome &outcome);
  void run_counted(const Selected &selected, bool print, Outcome &outcome);
  void print_figures(const Selected &selected, const Outcome &outcome);

  const Options &x_options;
  Signals &x_signals;
  result::Result x_result;
  double x_insns_per_ns = 1; // where the clock counts instructions, once it has settled
};

// The row of docs/results.md without status and metrics.
result::Benchmark make_row(const Selected &selected);

// Tool and environment of docs/results.md.
result::Tool this_tool();
Value this_environment();

} // namespace bench
