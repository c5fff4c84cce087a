// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>

namespace bench
{

Option number(std::string name, uint64_t min, uint64_t max, uint64_t preset, std::string help)
{
  return {std::move(name), std::move(help), Option::Kind::Number, min, max, preset, {}};
}

Option flag(std::string name, std::string help)
{
  return {std::move(name), std::move(help), Option::Kind::Flag, 0, 1, 0, {}};
}

Option choice(std::string name, std::vector<std::string> choices, std::string help)
{
  return {std::move(name), std::move(help), Option::Kind::Choice, 0, 0, 0, std::move(choices)};
}

Option text(std::string name, uint64_t max, std::string preset, std::string help)
{
  return {std::move(name), std::move(help), Option::Kind::Text, 1, max, 0, {std::move(preset)}};
}

Readings Growth::since_last(const Readings &now)
{
  Readings since = now;
  for (auto &[name, value] : since)
    value -= x_last[name];
  x_last = now;
  return since;
}

Counts &Counts::operator+=(const Counts &other)
{
  hits += other.hits;
  drops += other.drops;
  false_hits += other.false_hits;
  absent += other.absent;
  ns += other.ns;
  base_ops += other.base_ops;
  base_ns += other.base_ns;
  return *this;
}

Counts Counts::operator-(const Counts &other) const
{
  Counts difference = *this;
  difference.hits -= other.hits;
  difference.drops -= other.drops;
  difference.false_hits -= other.false_hits;
  difference.absent -= other.absent;
  difference.ns -= other.ns;
  difference.base_ops -= other.base_ops;
  difference.base_ns -= other.base_ns;
  return difference;
}

static std::vector<Descriptor> &mutable_registry()
{
  static std::vector<Descriptor> all;
  return all;
}

Register::Register(std::initializer_list<Descriptor> descriptors)
{
  auto &all = mutable_registry();
  all.insert(all.end(), descriptors);
  std::sort(all.begin(), all.end(),
            [](const Descriptor &a, const Descriptor &b) { return a.name < b.name; });
}

const std::vector<Descriptor> &registry() { return mutable_registry(); }

uint32_t whole_cycles(const Descriptor &descriptor, const Params &params, uint64_t nr)
{
  constexpr uint64_t most_ops = 1 << 23;
  uint64_t cycle = descriptor.cycle(params);
  uint64_t cycles = std::max<uint64_t>(1, (nr + cycle - 1) / cycle);
  return static_cast<uint32_t>(std::min(cycles * cycle, std::max(cycle, most_ops / cycle * cycle)));
}

void require_one_producer(const Params &params, const char *name)
{
  if (params.producers != 1)
    throw usage_error(fmt::format("{} runs with one producer, not {}", name, params.producers));
}

} // namespace bench
