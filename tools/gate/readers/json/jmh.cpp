// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JMH's JSON (-rf json): a list of results. A fork is a process, so it is a load; its iterations
// are samples.
#include "tools/gate/readers/format.h"
#include "tools/gate/readers/json/entries.h"
#include "tools/gate/statistics/units.h"

namespace gate
{

using result::json;

static constexpr EntryList list = {"JMH JSON", "", "'benchmark' and 'primaryMetric' with 'score'"};

static void take(Collector &collector, const json &entry)
{
  Value parameters = parameters_of(entry, "params");
  if (int threads = entry.value("threads", 1); threads != 1)
    parameters["threads"] = int64_t(threads);
  bool is_rate = entry.value("mode", "") == "thrpt";
  const json &primary = entry.at("primaryMetric");
  std::string unit = primary.value("scoreUnit", "");
  result::Benchmark &benchmark =
      collector.benchmark(entry.at("benchmark").get<std::string>(), parameters);
  Shape shape{
      .name = is_rate ? "throughput" : "time",
      .unit = unit,
      .better = direction(unit).value_or(is_rate ? result::Better::Higher : result::Better::Lower)};
  auto forks = primary.find("rawData");
  if (forks == primary.end() || !forks->is_array() || forks->empty()) {
    collector.add_load(benchmark, shape, {figure_at(primary, "score")});
    collector.remark("a result without its iterations: the score is one run");
    return;
  }
  for (const json &fork : *forks) {
    std::vector<double> samples;
    for (const json &iteration : fork)
      samples.push_back(figure_in_list(iteration));
    collector.add_load(benchmark, shape, std::move(samples));
  }
}

static Reading read(Input &input, bool partial)
{
  Collector collector(input.name());
  read_entries(input, list, partial, collector, [&](const json &entry) { take(collector, entry); });
  return collector.take(list.format);
}

static bool is_it(const JsonMembers &top)
{
  return top.is_list() && (top.has("jmhVersion") || top.has("primaryMetric"));
}

static const Register jmh(JsonFormat{list.format, is_it, read});

} // namespace gate
