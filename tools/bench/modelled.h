// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the model (docs/model.md) says of a benchmark, where one runs: events per op. Not the ops of
// counted.h, which are few and warm in every cache, but one pass over many keys after another such
// pass or a longer one; and single ops, for how many cache lines one touches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/bench/options.h"
#include "tools/bench/runner.h"

class ModelPage;

namespace bench
{

// One load.
struct Modelled {
  struct Function {
    std::string name;
    std::vector<double> events; // its own per op, as names; loop and keys are in it
  };
  std::string model;
  std::vector<std::string> names;
  std::vector<double> net, raw;    // per op, as names
  bool has_base = false;           // loop and keys are off net
  uint64_t ops = 0;                // counted
  uint64_t warming_ops = 0;        // before them
  uint64_t interrupts = 0;         // left out
  std::vector<Function> functions; // where a profile is wanted
};

// Null where no model runs.
ModelPage *the_model();

// How many ops are counted: all entries of the benchmark's maps, within limits, in whole cycles.
uint64_t model_ops(const Selected &selected);
// How many come before: as many, or what the benchmark says.
uint64_t model_warming_ops(const Selected &selected);

// Measures one load; nullopt when a signal arrives, and for a benchmark that the model cannot
// bracket. Throws std::runtime_error when what was counted is not what was run.
std::optional<Modelled> model_load(Bench &bench, const Selected &selected, Signals &signals);

// "Modelled: 119.4 insns, 34.6 accesses, ...", and how it was had. Of several loads the medians.
std::vector<std::string> modelled_lines(const std::vector<Modelled> &loads);

// One metric for each event, "modelled_<event>".
std::vector<result::Metric> modelled_metrics(const std::vector<Modelled> &loads);

// Functions of at least least_insns per op in a load, by name; all events but the lines, which are
// counted in other ops than these.
constexpr double least_insns = 0.01;
std::vector<result::Function> modelled_functions(const std::vector<Modelled> &loads);

} // namespace bench
