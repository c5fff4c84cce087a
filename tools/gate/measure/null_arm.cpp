// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/measure/null_arm.h"

#include <algorithm>

#include "tools/gate/judge/compare.h"
#include "tools/gate/system/interrupt.h"

namespace gate
{

using result::Benchmark;

NullArm::NullArm(const std::string &bench, std::vector<Command> &commands, long timeout_ms)
{
  Command command = {bench, {"anchor-*"}};
  try {
    Interleave lister({command}, {.timeout_ms = timeout_ms}, 0, nullptr);
    x_list = lister.list(0);
  } catch (const interrupted_error &) {
    throw;
  } catch (const std::exception &) {
    return;
  }
  for (size_t i = 0; i < x_list.benchmarks.size(); i++) {
    const Benchmark &each = x_list.benchmarks[i];
    if (!each.name.starts_with("anchor-"))
      continue;
    x_tasks.push_back({.name = each.name,
                       .targets = {{commands.size(), i}, {commands.size() + 1, i}},
                       .batched = each.batched.value_or(true)});
  }
  std::erase_if(x_list.benchmarks,
                [](const Benchmark &each) { return !each.name.starts_with("anchor-"); });
  if (!x_tasks.empty())
    commands.insert(commands.end(), 2, command);
}

std::vector<Task *> NullArm::tasks(size_t units)
{
  std::vector<Task *> tasks;
  for (Task &task : x_tasks) {
    task.units = units;
    tasks.push_back(&task);
  }
  return tasks;
}

bool NullArm::judge_last(double alpha)
{
  result::Result base, comp;
  Settings settings = {.paired = true, .tolerance = 0, .fewest_loads = 0};
  for (size_t i = 0; i < x_tasks.size(); i++) {
    const Task &task = x_tasks[i];
    if (task.sides.size() != 2)
      continue;
    base.benchmarks.push_back(x_list.benchmarks[i]);
    comp.benchmarks.push_back(x_list.benchmarks[i]);
    put_samples(base.benchmarks.back(), task.sides[0]);
    put_samples(comp.benchmarks.back(), task.sides[1]);
    std::vector<bool> second = task.second_first;
    second.flip();
    settings.comp_second[benchmark_key(base.benchmarks.back())] = second;
  }
  std::vector<Candidate> candidates = match_rows(base, comp, settings);
  std::erase_if(candidates, [](const Candidate &c) { return c.secondary || !c.row.gated; });
  // Half of alpha for either direction.
  judge(candidates, alpha / 2, alpha / 2);
  x_rows = rows_of(std::move(candidates));
  bool alarm = false;
  for (Row &row : x_rows) {
    alarm |= row.verdict == Verdict::Regressed || row.verdict == Verdict::Improved;
    row.name += " (null arm)";
    row.gated = false;
    row.secondary = true;
    // Without tolerance nothing can be proven unchanged; no difference was found.
    row.reasons.clear();
    add_note(row, "the same code on both sides");
  }
  return alarm;
}

} // namespace gate
