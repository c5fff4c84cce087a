// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/measure/interleave.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "tools/gate/statistics/units.h"
#include "tools/gate/system/interrupt.h"

namespace gate
{

using result::Status;

static constexpr long most_ops = 8388608; // of the protocol
static constexpr int most_hangs = 2;

bool Task::is_open() const
{
  return std::all_of(sides.begin(), sides.end(),
                     [](const SideFigures &side) { return side.status == Status::Ok; });
}

Interleave::Interleave(std::vector<Command> commands, Plan plan, uint64_t seed,
                       ProgressCall progress)
    : x_commands(std::move(commands)), x_plan(plan), x_random(seed),
      x_progress(std::move(progress)), x_clients(x_commands.size()), x_hangs(x_commands.size())
{
}

Interleave::~Interleave() = default;

ServeClient &Interleave::client(size_t command)
{
  if (!x_clients[command])
    x_clients[command] = std::make_unique<ServeClient>(
        x_commands[command].program, x_commands[command].arguments, x_plan.timeout_ms);
  return *x_clients[command];
}

void Interleave::restart()
{
  for (auto &each : x_clients)
    each.reset();
}

result::Result Interleave::list(size_t command) { return client(command).list(); }

void Interleave::close_side(Task &task, size_t side, Status status, const std::string &reason)
{
  task.sides[side].status = status;
  task.sides[side].reason = reason;
  for (SideFigures &each : task.sides)
    each.units.clear();
}

// One step of one side. False: it failed, and the task is closed.
bool Interleave::guarded(Task &task, size_t side,
                         const std::function<void(ServeClient &, size_t)> &step)
{
  const Task::Target &target = task.targets[side];
  try {
    step(client(target.command), target.number);
    return true;
  } catch (const refusal &answer) {
    close_side(task, side, answer.status(), answer.what());
  } catch (const serve_error &failure) {
    x_clients[target.command].reset();
    if (failure.hung() && ++x_hangs[target.command] >= most_hangs)
      throw;
    close_side(task, side, Status::Failed, failure.what());
  }
  return false;
}

// The order of the sides within a unit: what is done to both is done in the order of loading.
static size_t side_at(const Task &task, size_t place, bool second_first)
{
  return second_first ? task.targets.size() - 1 - place : place;
}

bool Interleave::load_all(Task &task, bool second_first)
{
  for (size_t i = 0; i < task.targets.size(); i++) {
    size_t side = side_at(task, i, second_first);
    auto load = [&](ServeClient &client, size_t number) {
      task.sides[side].bytecode = client.load(number);
    };
    if (!guarded(task, side, load)) {
      // The load that had succeeded goes with its process.
      restart();
      return false;
    }
  }
  return true;
}

void Interleave::unload_all(Task &task)
{
  bool backwards = x_random.coin();
  for (size_t i = 0; i < task.targets.size(); i++) {
    size_t side = side_at(task, i, backwards);
    guarded(task, side, [](ServeClient &client, size_t number) { client.unload(number); });
  }
}

std::optional<Epoch> Interleave::run_epoch(Task &task, size_t side, long ops, uint64_t seed)
{
  Epoch epoch;
  auto run = [&](ServeClient &client, size_t number) { epoch = client.epoch(number, ops, seed); };
  if (!guarded(task, side, run)) {
    restart();
    return std::nullopt;
  }
  return epoch;
}

// How long an epoch of that many ops takes: the slower side's best of some tries, because a single
// preemption would pass for a slow op. Nothing if a side failed.
std::optional<Interleave::Cost> Interleave::cost_of(Task &task, bool second_first, long ops,
                                                    int tries)
{
  Cost cost = {0, 0};
  for (size_t place = 0; place < task.targets.size(); place++) {
    size_t side = side_at(task, place, second_first);
    double ns = std::numeric_limits<double>::infinity(), wall_ns = ns;
    for (int i = 0; i < tries; i++) {
      auto begin = std::chrono::steady_clock::now();
      std::optional<Epoch> epoch = run_epoch(task, side, ops, any_seed());
      if (!epoch)
        return std::nullopt;
      std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
      ns = std::min(ns, epoch->ns);
      wall_ns = std::min(wall_ns, passed.count());
    }
    cost = {std::max(cost.ns, ns), std::max(cost.wall_ns, wall_ns)};
  }
  return cost;
}

// One iteration count for both sides, so that the slower one's epoch has the planned length: the
// fixed cost of an epoch is then the same share of both.
bool Interleave::calibrate(Task &task, bool second_first)
{
  constexpr int tries = 3;
  long ops = 1;
  std::optional<Cost> cost = cost_of(task, second_first, ops, tries);
  while (cost && task.batched && cost->ns < x_plan.epoch_ns / 2 && ops < most_ops) {
    double factor = std::clamp(x_plan.epoch_ns / std::max(cost->ns, 1.0), 2.0, 10.0);
    ops = std::min<long>(most_ops, std::ceil(ops * factor));
    cost = cost_of(task, second_first, ops, tries);
  }
  if (!cost)
    return false;
  double factor = task.batched ? std::min(2.0, x_plan.epoch_ns / cost->ns) : 1;
  task.ops = std::clamp<long>(std::lround(ops * factor), 1, most_ops);
  double round_ns = 2 * task.targets.size() * cost->wall_ns * factor;
  // As a double: of an absurd cost the quotient is beyond any integer.
  double rounds = std::clamp<double>(x_plan.unit_budget_ns / round_ns, 1, x_plan.rounds);
  task.rounds = static_cast<int>(rounds);
  return true;
}

bool Interleave::warm(Task &task, bool second_first)
{
  uint64_t seed = any_seed();
  for (size_t i = 0; i < task.targets.size(); i++) {
    size_t side = side_at(task, i, second_first);
    if (!run_epoch(task, side, task.ops, seed))
      return false;
  }
  return true;
}

// A B B A or B A A B; the first two epochs run the same keys, and so do the last two.
bool Interleave::measure_round(Task &task, std::vector<std::vector<Epoch>> &epochs)
{
  bool backwards = x_random.coin();
  uint64_t seeds[2] = {any_seed(), any_seed()};
  size_t count = task.targets.size();
  for (size_t i = 0; i < 2 * count; i++) {
    size_t place = i < count ? i : 2 * count - 1 - i;
    size_t side = side_at(task, place, backwards);
    std::optional<Epoch> epoch = run_epoch(task, side, task.ops, seeds[i / count]);
    if (!epoch)
      return false;
    epochs[side].push_back(std::move(*epoch));
  }
  return true;
}

void Interleave::measure_unit(Task &task, bool second_first)
{
  auto begin = std::chrono::steady_clock::now();
  if (!load_all(task, second_first))
    return;
  if (task.ops == 0 && !calibrate(task, second_first))
    return;
  std::vector<std::vector<Epoch>> epochs(task.targets.size());
  if (!warm(task, second_first))
    return;
  for (int round = 0; round < task.rounds; round++)
    if (!measure_round(task, epochs))
      return;
  unload_all(task);
  if (!task.is_open())
    return;
  for (size_t side = 0; side < epochs.size(); side++)
    task.sides[side].units.push_back(std::move(epochs[side]));
  std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
  task.unit_ns.push_back(passed.count());
}

void Interleave::measure(const std::vector<Task *> &tasks)
{
  std::vector<Task *> order = tasks;
  size_t done = 0, total = 0, rounds = 0;
  for (Task *task : tasks) {
    task->sides.assign(task->targets.size(), {});
    task->second_first = x_random.balanced_coins(task->units);
    task->unit_ns.clear();
    total += task->units;
    rounds = std::max(rounds, task->units);
  }
  for (size_t unit = 0; unit < rounds; unit++) {
    restart();
    x_random.shuffle(order);
    for (Task *task : order) {
      if (unit >= task->units)
        continue;
      check_interrupts();
      if (x_progress)
        x_progress(done, total, task->name);
      if (task->is_open())
        measure_unit(*task, task->second_first[unit]);
      done++;
    }
  }
  restart();
  if (x_progress)
    x_progress(done, total, "");
}

static double time_sample(const Epoch &epoch, const std::string &unit)
{
  // Zero tells the reader that nothing was measured; it drops such samples and counts them.
  if (epoch.hits <= 0 || epoch.ns <= 0)
    return 0;
  return from_ns_per_op(epoch.ns / epoch.hits, unit)
      .value_or(std::numeric_limits<double>::quiet_NaN());
}

static void put_metric(result::Metric &metric, const SideFigures &figures)
{
  bool is_value = false;
  for (const auto &unit : figures.units)
    for (const Epoch &epoch : unit)
      is_value |= epoch.values.count(metric.name) != 0;
  metric.samples.clear();
  // hits and ns are the gated time; nothing else may be made up from them.
  if (!is_value && (metric.kind != result::Class::Time || !metric.gated)) {
    if (metric.reason.empty())
      metric.reason = "this run could not read it";
    return;
  }
  for (const auto &unit : figures.units) {
    std::vector<double> &load = metric.samples.emplace_back();
    for (const Epoch &epoch : unit)
      if (!is_value)
        load.push_back(time_sample(epoch, metric.unit));
      else if (auto found = epoch.values.find(metric.name); found != epoch.values.end())
        load.push_back(found->second);
  }
}

void put_samples(result::Benchmark &benchmark, const SideFigures &figures)
{
  benchmark.status = figures.status;
  benchmark.reason = figures.reason;
  if (figures.status == result::Status::Failed && refused_by_verifier(figures.reason))
    benchmark.failure = "verifier";
  benchmark.batched.reset();
  if (!figures.bytecode.empty())
    benchmark.bytecode = figures.bytecode;
  for (result::Metric &metric : benchmark.metrics)
    put_metric(metric, figures);
  if (figures.status != Status::Ok)
    for (result::Metric &metric : benchmark.metrics)
      metric.samples.clear();
}

std::string why_all_skipped(const std::vector<Task *> &tasks)
{
  std::string why;
  for (const Task *task : tasks) {
    auto skipped = [](const SideFigures &side) { return side.status == Status::Skipped; };
    auto side = std::find_if(task->sides.begin(), task->sides.end(), skipped);
    if (side == task->sides.end())
      return "";
    why = side->reason;
  }
  return why;
}

} // namespace gate
