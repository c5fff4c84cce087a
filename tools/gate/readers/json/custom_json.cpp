// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The list that github-action-benchmark calls customSmallerIsBetter or customBiggerIsBetter:
// entries of a name, a unit and a value. Which of both it is stands in no file: the unit tells, or
// --better.
#include "tools/gate/readers/format.h"
#include "tools/gate/readers/json/entries.h"
#include "tools/gate/statistics/units.h"

namespace gate
{

using result::json;

static constexpr EntryList list = {"custom JSON of github-action-benchmark", "",
                                   "'name' and 'unit', texts, and 'value', a number"};

static Reading read(Input &input, bool partial)
{
  Collector collector(input.name());
  read_entries(input, list, partial, collector, [&](const json &entry) {
    std::string unit = entry.at("unit").get<std::string>();
    result::Benchmark &benchmark = collector.benchmark(entry.at("name").get<std::string>());
    collector.add_load(benchmark,
                       {.name = "value",
                        .unit = unit,
                        .better = direction(unit).value_or(result::Better::Unknown)},
                       {entry.at("value").get<double>()});
  });
  return collector.take(list.format);
}

static bool is_it(const JsonMembers &top)
{
  return top.is_list() && top.has("name") && top.has("unit") && top.has("value");
}

static const Register custom_json(JsonFormat{list.format, is_it, read});

} // namespace gate
