// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/power/record.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tools/gate/measure/interleave.h"
#include "tools/gate/research/power/data.h"
#include "tools/lib/environment.h"
#include "tools/lib/json.h"
#include "tools/lib/progress.h"

namespace power
{

using gate::Command;
using gate::Interleave;
using gate::Task;
using Clock = std::chrono::steady_clock;

static double seconds_since(Clock::time_point begin)
{
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

namespace
{

// Keeps CPUs busy while it lives, so that a quiet machine can be made a loaded one.
class Burners {
public:
  explicit Burners(unsigned count)
  {
    for (unsigned i = 0; i < count; i++)
      x_threads.emplace_back([this] {
        for (volatile uint64_t work = 0; !x_stop;)
          work = work + 1;
      });
  }
  ~Burners()
  {
    x_stop = true;
    for (std::thread &thread : x_threads)
      thread.join();
  }

private:
  std::atomic<bool> x_stop = false;
  std::vector<std::thread> x_threads;
};

// One benchmark at one effect.
struct Arm {
  size_t benchmark;
  double effect;
  Task task;
};

} // namespace

static std::string full_name(const result::Benchmark &benchmark)
{
  std::string name = benchmark.name;
  for (const auto &[parameter, value] : benchmark.parameters.items())
    name += fmt::format(" {}={}", parameter, value.shown());
  return name;
}

// 0: base; 1: the same again; then one for each effect.
static std::vector<Command> make_commands(const RecordOptions &options)
{
  Command same = {options.bench, options.bench_arguments};
  std::vector<Command> commands = {same, same};
  for (double effect : options.effects) {
    commands.push_back(same);
    auto &arguments = commands.back().arguments;
    arguments.insert(arguments.end(), {"--inject", fmt::format("{}%", 100 * effect)});
  }
  return commands;
}

static std::vector<Arm> make_arms(const RecordOptions &options, const result::Result &list)
{
  std::vector<Arm> arms;
  for (size_t i = 0; i < list.benchmarks.size(); i++)
    for (size_t k = 0; k <= options.effects.size(); k++) {
      Arm arm = {i, k == 0 ? 0 : options.effects[k - 1], {}};
      arm.task.name = list.benchmarks[i].name;
      arm.task.targets = {{0, i}, {k + 1, i}};
      arm.task.batched = list.benchmarks[i].batched.value_or(true);
      arm.task.units = k == 0 ? 3 * options.units : options.units;
      arms.push_back(std::move(arm));
    }
  return arms;
}

static std::vector<double> times_of(const std::vector<gate::Epoch> &epochs)
{
  std::vector<double> times;
  for (const gate::Epoch &epoch : epochs)
    if (epoch.hits > 0 && epoch.ns > 0)
      times.push_back(epoch.ns / epoch.hits);
  return times;
}

static void write_round(std::ofstream &file, const std::vector<Arm> &arms, size_t round,
                        double at_s)
{
  double load = 0;
  if (getloadavg(&load, 1) < 1)
    load = 0;
  for (const Arm &arm : arms) {
    if (!arm.task.is_open()) {
      fmt::print(stderr, "power: {}: {}{}\n", arm.task.name, arm.task.sides[0].reason,
                 arm.task.sides[1].reason);
      continue;
    }
    for (size_t i = 0; i < arm.task.units; i++)
      file << format_unit(arm.benchmark, arm.effect,
                          {.round = round,
                           .at_s = at_s,
                           .load = load,
                           .wall_ms = arm.task.unit_ns[i] / 1e6,
                           .second = !arm.task.second_first[i],
                           .base = times_of(arm.task.sides[0].units[i]),
                           .comp = times_of(arm.task.sides[1].units[i])});
  }
  file.flush();
}

static std::string header(const RecordOptions &options, const result::Result &list)
{
  std::vector<std::string> names;
  for (const result::Benchmark &benchmark : list.benchmarks)
    names.push_back(full_name(benchmark));
  return result::json{{"schema", schema},     {"version", version},
                      {"class", "time"},      {"environment", list.environment},
                      {"started", utc_now()}, {"seed", options.seed},
                      {"burn", options.burn}, {"benchmarks", names}}
             .dump() +
         "\n";
}

int record(const RecordOptions &options)
{
  Progress progress("record");
  Interleave bench(make_commands(options), {}, options.seed,
                   [&](size_t done, size_t total, const std::string &name) {
                     progress.show(done, total, name);
                   });
  result::Result list = bench.list(0);
  std::vector<Arm> arms = make_arms(options, list);
  std::ofstream file(options.path);
  file << header(options, list);
  Burners burners(options.burn);
  Clock::time_point begin = Clock::now();
  double longest_s = 0;
  for (size_t round = 0; round == 0 || seconds_since(begin) + longest_s < options.budget_s;
       round++) {
    double at_s = seconds_since(begin);
    std::vector<Task *> tasks;
    for (Arm &arm : arms)
      tasks.push_back(&arm.task);
    bench.measure(tasks);
    write_round(file, arms, round, at_s);
    longest_s = std::max(longest_s, seconds_since(begin) - at_s);
    progress.set_title(fmt::format("round {}", round + 2));
  }
  if (!file)
    throw std::runtime_error(fmt::format("cannot write '{}'", options.path));
  return 0;
}

} // namespace power
