// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Measures one or two benches through --serve, interleaved.
//
// A unit is one fresh load of both sides of a benchmark, in processes that are fresh for each round
// of units: where the kernel puts a map differs by up to 2.6 % from load to load, so the load is
// what is replicated. Which side is loaded first is random and balanced (the last one loaded is
// warmer, by up to 25 %). Both are warmed, then rounds of ABBA or BAAB follow, by coin; both sides
// run the same keys. Benchmarks take turns, in a random order, so that drift spreads over all.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/gate/measure/serve_client.h"
#include "tools/gate/statistics/random_order.h"
#include "tools/lib/result.h"

namespace gate
{

// How one side is started.
struct Command {
  std::string program;
  std::vector<std::string> arguments;
};

struct SideFigures {
  std::vector<std::vector<Epoch>> units;
  result::Status status = result::Status::Ok; // Skipped, Failed: with reason, no units
  std::string reason;
  std::string bytecode; // of the last load
};

// One benchmark on one or two sides.
struct Task {
  struct Target {
    size_t command; // place in the commands
    size_t number;  // of the benchmark in that command's list
  };
  std::string name;
  std::vector<Target> targets;
  bool batched = true;

  size_t units = 0; // to be measured by the next measure()

  std::vector<SideFigures> sides; // filled by measure(), one a target
  std::vector<bool> second_first; // the same, by unit: the second target was loaded first
  std::vector<double> unit_ns;    // the same, by unit: with loading and unloading
  long ops = 0;                   // of one epoch; 0: not calibrated yet
  int rounds = 0;                 // ABBA rounds of a unit

  bool is_open() const;
};

struct Plan {
  double epoch_ns = 200e3; // below the scheduler's slice, far above the clock's step
  int rounds = 5;
  double unit_budget_ns = 40e6; // for the epochs of a unit: slow ones get fewer rounds
  long timeout_ms = 120000;     // of one answer
};

// done and total: units of all benchmarks.
using ProgressCall = std::function<void(size_t done, size_t total, const std::string &name)>;

class Interleave {
public:
  Interleave(std::vector<Command> commands, Plan plan, uint64_t seed, ProgressCall progress);
  ~Interleave();

  // What a command can measure. Throws serve_error, refusal or std::system_error.
  result::Result list(size_t command);

  // Measures the units that each task asks for; what was measured before is dropped, so that the
  // figures of one call are independent of those of another. A side that fails closes its task.
  // Throws serve_error when a bench hangs again and again, and interrupted_error.
  void measure(const std::vector<Task *> &tasks);

private:
  struct Cost {
    double ns;      // in the kernel
    double wall_ns; // with refilling and the request
  };

  ServeClient &client(size_t command);
  void restart();
  void close_side(Task &task, size_t side, result::Status status, const std::string &reason);
  bool guarded(Task &task, size_t side, const std::function<void(ServeClient &, size_t)> &step);
  bool load_all(Task &task, bool second_first);
  void unload_all(Task &task);
  std::optional<Epoch> run_epoch(Task &task, size_t side, long ops, uint64_t seed);
  std::optional<Cost> cost_of(Task &task, bool second_first, long ops, int tries);
  bool calibrate(Task &task, bool second_first);
  bool warm(Task &task, bool second_first);
  void measure_unit(Task &task, bool second_first);
  bool measure_round(Task &task, std::vector<std::vector<Epoch>> &epochs);
  uint64_t any_seed() { return x_random.below_2_63(); }

  std::vector<Command> x_commands;
  Plan x_plan;
  RandomOrder x_random;
  ProgressCall x_progress;
  std::vector<std::unique_ptr<ServeClient>> x_clients;
  std::vector<int> x_hangs;
};

// Why not a single one could be measured, because this machine lacks something; empty otherwise.
std::string why_all_skipped(const std::vector<Task *> &tasks);

// The samples of a benchmark's metrics from its units: a load's samples are those of its epochs.
void put_samples(result::Benchmark &benchmark, const SideFigures &figures);

} // namespace gate
