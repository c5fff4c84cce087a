// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JMH's JSON (-rf json): a list of results. A fork is a process, so it is a load; its iterations
// are samples.
#include <fmt/format.h>

#include <limits>

#include "tools/gate/readers/collector.h"
#include "tools/gate/readers/format.h"
#include "tools/gate/statistics/units.h"
#include "tools/lib/json.h"
#include "tools/lib/json_stream.h"

namespace gate
{

using result::json;

// JMH writes "NaN" as a text.
static double figure(const json &value)
{
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

static void take(Collector &collector, const json &entry)
{
  Value parameters = Value::object();
  if (auto found = entry.find("params"); found != entry.end() && found->is_object())
    for (const auto &[name, value] : found->items())
      parameters[clean_name(name)] =
          clean_name(value.is_string() ? value.get<std::string>() : result::json_text(value));
  if (int threads = entry.value("threads", 1); threads != 1)
    parameters["threads"] = int64_t(threads);
  std::string mode = entry.value("mode", "");
  const json &primary = entry.at("primaryMetric");
  std::string unit = primary.value("scoreUnit", "");
  result::Benchmark &benchmark =
      collector.benchmark(entry.at("benchmark").get<std::string>(), parameters);
  Shape shape{.name = mode == "thrpt" ? "throughput" : "time",
              .unit = unit,
              .better = direction(unit).value_or(mode == "thrpt" ? result::Better::Higher
                                                                 : result::Better::Lower)};
  auto forks = primary.find("rawData");
  if (forks == primary.end() || !forks->is_array() || forks->empty()) {
    collector.add_load(benchmark, shape, {figure(primary.at("score"))});
    collector.remark("a result without its iterations: the score is one run");
    return;
  }
  for (const json &fork : *forks) {
    std::vector<double> samples;
    for (const json &iteration : fork)
      samples.push_back(figure(iteration));
    collector.add_load(benchmark, shape, std::move(samples));
  }
}

static Reading read_jmh(Input &input, bool)
{
  JsonBytes bytes(input, true);
  Collector collector(input.name());
  size_t index = 0;
  for (const json &entry : read_json(bytes, "", {})) {
    try {
      take(collector, entry);
    } catch (const json::exception &) {
      throw input_error(fmt::format("{}: /{} is no result of JMH: it wants 'benchmark' and "
                                    "'primaryMetric' with 'score'",
                                    input.name(), index));
    }
    index++;
  }
  return collector.take("JMH JSON");
}

static const Register jmh(JsonFormat{.name = "JMH JSON",
                                     .is_it =
                                         [](const JsonMembers &top) {
                                           return top.is_list() && (top.has("jmhVersion") ||
                                                                    top.has("primaryMetric"));
                                         },
                                     .read = read_jmh});

} // namespace gate
