// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Measuring where the clock counts instructions (tools/lib/instruction_clock.h): a fixed number of
// ops, nothing that follows host time, and a figure from which loop and keys are taken off.
// docs/determinism.md says what this makes repeatable and what it does not.
#pragma once

#include <optional>

#include "tools/bench/options.h"
#include "tools/bench/runner.h"

namespace bench
{

// What one load says, in instructions per op.
struct Counted {
  double raw = 0;             // loop, keys and op
  std::optional<double> base; // the same loop and keys without the op; nullopt: the loop is the op
  Sample sample;              // what is no time: counts of distinct ops, readings

  double net() const { return raw - base.value_or(0); }
};

// Whether this process counts instead of timing.
bool counting();

// Lets what the kernel does after boot come to its end (the clock's own calibration above all), and
// returns the instructions per ns of the clock from then on. Once, before the first load.
double settle();

// Measures one load; nullopt when a signal arrives meanwhile. One producer only. Throws what the
// benchmark throws, and std::runtime_error for an --inject that is too small to be made.
std::optional<Counted> count_load(Bench &bench, const Selected &selected, double insns_per_ns,
                                  Signals &signals);

// Chunks of ops, each repeated with the same keys: the sum over chunks of the median repetition.
// An interrupt in a minority of repetitions leaves no trace.
double sum_of_medians(const std::vector<std::vector<uint64_t>> &repetitions_by_chunk);

// Spins per ns, in units of 2^-20, that make ops cost pct percent of their net count more, where
// they take raw_ns with and net_ns without loop and keys in this many runs. nullopt: less than what
// making any spins costs.
std::optional<uint64_t> net_injection_q20(double pct, double raw_ns, double net_ns, size_t runs,
                                          const InjectionCost &cost);

// The median over loads of net().
double median_net(const std::vector<Counted> &loads);

// The metrics of docs/results.md: "instructions" and, where something was taken off,
// "instructions_raw"; then those of the benchmark's own that are no times.
std::vector<result::Metric> counted_metrics(const Report &report,
                                            const std::vector<Counted> &loads);

// The lines after "Benchmark ... started.", a Summary first.
std::vector<std::string> counted_lines(const Selected &selected, const std::vector<Counted> &loads);

} // namespace bench
