// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/power/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tools/lib/json.h"

namespace power
{

using result::json;

const Series *Data::find(const std::string &benchmark, double effect) const
{
  for (const Series &each : series)
    if (each.benchmark == benchmark && each.effect == effect)
      return &each;
  return nullptr;
}

std::vector<double> Data::effects() const
{
  std::set<double> effects;
  for (const Series &each : series)
    if (each.effect != 0)
      effects.insert(each.effect);
  return {effects.begin(), effects.end()};
}

static void take_header(const json &value, Data &data)
{
  if (value.value("schema", "") != schema || value.value("version", 0) != version)
    throw std::runtime_error(fmt::format("is no {} of version {}", schema, version));
  data.header = value;
  data.benchmarks = value.at("benchmarks").get<std::vector<std::string>>();
}

static void take_unit(const json &value, Data &data)
{
  Unit unit = {.round = value.value("round", size_t{0}),
               .at_s = value.value("at_s", 0.0),
               .load = value.value("load", 0.0),
               .wall_ms = value.value("wall_ms", 0.0),
               .second = value.at("second").get<bool>(),
               .base = value.at("base").get<std::vector<double>>(),
               .comp = value.at("comp").get<std::vector<double>>()};
  auto is_bad = [](double each) { return !(each > 0); };
  if (unit.base.empty() || unit.comp.empty() ||
      std::any_of(unit.base.begin(), unit.base.end(), is_bad) ||
      std::any_of(unit.comp.begin(), unit.comp.end(), is_bad))
    throw std::runtime_error("a unit without figures, or with one that is not above 0");
  const std::string &name = data.benchmarks.at(value.at("benchmark").get<size_t>());
  double effect = value.at("effect").get<double>();
  auto same = [&](const Series &s) { return s.benchmark == name && s.effect == effect; };
  auto found = std::find_if(data.series.begin(), data.series.end(), same);
  if (found == data.series.end())
    found = data.series.insert(found, {name, effect, {}});
  found->units.push_back(std::move(unit));
}

Data read_data(const std::string &path)
{
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(fmt::format("cannot read '{}'", path));
  Data data;
  std::string text;
  for (size_t line = 1; std::getline(file, text); line++)
    try {
      json value = json::parse(text);
      line == 1 ? take_header(value, data) : take_unit(value, data);
    } catch (const std::exception &failure) {
      throw std::runtime_error(fmt::format("{}: line {}: {}", path, line, failure.what()));
    }
  auto place = [&](const Series &s) {
    return std::find(data.benchmarks.begin(), data.benchmarks.end(), s.benchmark);
  };
  std::sort(data.series.begin(), data.series.end(), [&](const Series &a, const Series &b) {
    return std::pair(place(a), a.effect) < std::pair(place(b), b.effect);
  });
  if (data.series.empty())
    throw std::runtime_error(fmt::format("{}: no units", path));
  return data;
}

std::string format_unit(size_t benchmark, double effect, const Unit &unit)
{
  return json{{"benchmark", benchmark},  {"effect", effect},  {"round", unit.round},
              {"at_s", unit.at_s},       {"load", unit.load}, {"second", unit.second},
              {"wall_ms", unit.wall_ms}, {"base", unit.base}, {"comp", unit.comp}}
             .dump() +
         "\n";
}

} // namespace power
