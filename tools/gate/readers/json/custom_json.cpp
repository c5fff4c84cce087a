// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The list that github-action-benchmark calls customSmallerIsBetter or customBiggerIsBetter:
// entries of a name, a unit and a value. Which of both it is stands in no file: the unit tells, or
// --better.
#include <fmt/format.h>

#include "tools/gate/readers/collector.h"
#include "tools/gate/readers/format.h"
#include "tools/gate/statistics/units.h"
#include "tools/lib/json.h"
#include "tools/lib/json_stream.h"

namespace gate
{

using result::json;

static Reading read_custom_json(Input &input, bool)
{
  JsonBytes bytes(input, true);
  Collector collector(input.name());
  size_t index = 0;
  for (const json &entry : read_json(bytes, "", {})) {
    try {
      std::string unit = entry.at("unit").get<std::string>();
      result::Benchmark &benchmark = collector.benchmark(entry.at("name").get<std::string>());
      collector.add_load(benchmark,
                         {.name = "value",
                          .unit = unit,
                          .better = direction(unit).value_or(result::Better::Unknown)},
                         {entry.at("value").get<double>()});
    } catch (const json::exception &) {
      throw input_error(fmt::format("{}: /{} wants 'name' and 'unit', texts, and 'value', a number",
                                    input.name(), index));
    }
    index++;
  }
  return collector.take("custom JSON of github-action-benchmark");
}

static const Register custom_json(JsonFormat{.name = "custom JSON of github-action-benchmark",
                                             .is_it =
                                                 [](const JsonMembers &top) {
                                                   return top.is_list() && top.has("name") &&
                                                          top.has("unit") && top.has("value");
                                                 },
                                             .read = read_custom_json});

} // namespace gate
