// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The comparison of two snapshots, and the waiting for what the kernel finishes late.
#include "tools/test_progs/leaks.h"

#include <fmt/format.h>
#include <unistd.h>

namespace test
{

std::vector<std::string> differences(const Snapshot &before, const Snapshot &after)
{
  std::vector<std::string> lines;
  for (const auto &[what, value] : after) {
    auto old = before.find(what);
    if (old == before.end())
      lines.push_back(fmt::format("{} is left: {}", what, value));
    else if (old->second != value)
      lines.push_back(fmt::format("{} was '{}' and is now '{}'", what, old->second, value));
  }
  for (const auto &[what, value] : before)
    if (!after.contains(what))
      lines.push_back(fmt::format("{} is gone: {}", what, value));
  return lines;
}

LeakCheck::LeakCheck(bool machine) : x_machine(machine), x_before(take()) {}

Snapshot LeakCheck::take() const
{
  Snapshot state = own_state();
  if (x_machine)
    state.merge(machine_state());
  return state;
}

std::vector<std::string> LeakCheck::leaks() const
{
  constexpr int tries = 20;
  std::vector<std::string> lines = differences(x_before, take());
  for (int i = 0; i < tries && !lines.empty(); i++) {
    usleep(20000);
    lines = differences(x_before, take());
  }
  return lines;
}

} // namespace test
