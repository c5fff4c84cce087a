// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/power/resample.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace power
{

std::vector<size_t> Resample::places(const Series &series, size_t count)
{
  std::vector<size_t> places(series.units.size());
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), x_random);
  places.resize(std::min(count, places.size()));
  return places;
}

static std::vector<Unit> units_at(const Series &series, const std::vector<size_t> &places)
{
  std::vector<Unit> units;
  for (size_t place : places)
    units.push_back(series.units[place]);
  return units;
}

std::vector<Unit> Resample::drawn(const Series &series, size_t count)
{
  return units_at(series, places(series, count));
}

static void call_comp(Unit &unit, bool second)
{
  if (unit.second == second)
    return;
  std::swap(unit.base, unit.comp);
  unit.second = second;
}

std::vector<Unit> Resample::relabelled(const Series &series, size_t count, size_t first_look)
{
  std::vector<size_t> in_order = places(series, count);
  std::sort(in_order.begin(), in_order.end());
  std::vector<Unit> units = units_at(series, in_order);
  std::vector<char> second(units.size());
  for (size_t i = 0; i < second.size(); i++)
    second[i] = i % 2;
  auto middle = second.begin() + std::min(first_look, second.size());
  std::shuffle(second.begin(), middle, x_random);
  std::shuffle(middle, second.end(), x_random);
  for (size_t i = 0; i < units.size(); i++)
    call_comp(units[i], second[i]);
  return units;
}

std::optional<std::vector<Unit>> Resample::apart(const Series &series, size_t count)
{
  std::set<size_t> rounds;
  for (const Unit &unit : series.units)
    rounds.insert(unit.round);
  if (rounds.size() < 2)
    return std::nullopt;
  std::vector<size_t> order(rounds.begin(), rounds.end());
  std::shuffle(order.begin(), order.end(), x_random);
  Series then, now;
  for (const Unit &unit : series.units)
    if (unit.round == order[0])
      then.units.push_back(unit);
    else if (unit.round == order[1])
      now.units.push_back(unit);
  count = std::min({count, then.units.size(), now.units.size()});
  std::vector<Unit> units = drawn(then, count), later = drawn(now, count);
  for (size_t i = 0; i < count; i++)
    units[i].comp = later[i].comp;
  return units;
}

} // namespace power
