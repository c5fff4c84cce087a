// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// pytest-benchmark's JSON (--benchmark-json). A round is a load, all of them of one process.
#include <fmt/format.h>

#include <limits>

#include "tools/gate/readers/collector.h"
#include "tools/gate/readers/format.h"
#include "tools/lib/json.h"
#include "tools/lib/json_stream.h"

namespace gate
{

using result::json;

static void take(Collector &collector, const json &entry)
{
  // The name has the parameters in it, the full one also the file.
  result::Benchmark &benchmark = collector.benchmark(
      entry.value("fullname", entry.at("name").get<std::string>()), Value::object());
  const Shape shape{.name = "time", .unit = "s"};
  const json &stats = entry.at("stats");
  auto rounds = stats.find("data");
  if (rounds == stats.end() || !rounds->is_array()) {
    collector.add_load(benchmark, shape, {stats.at("mean").get<double>()});
    collector.remark("a benchmark without its rounds (--benchmark-save-data): the mean is one run");
    return;
  }
  for (const json &round : *rounds)
    collector.add_load(
        benchmark, shape,
        {round.is_number() ? round.get<double>() : std::numeric_limits<double>::quiet_NaN()});
}

static Reading read_pytest_benchmark(Input &input, bool)
{
  JsonBytes bytes(input, true);
  Collector collector(input.name());
  auto element = [&](const json &, const json &entry, size_t index) {
    try {
      take(collector, entry);
    } catch (const json::exception &) {
      throw input_error(fmt::format("{}: /benchmarks/{} is none of pytest-benchmark: it wants "
                                    "'name' and 'stats' with 'data' or 'mean'",
                                    input.name(), index));
    }
  };
  read_json(bytes, "benchmarks", element);
  collector.remark("a round counts as a load: what the process set up is shared by them");
  return collector.take("pytest-benchmark JSON");
}

static const Register pytest_benchmark(JsonFormat{
    .name = "pytest-benchmark JSON",
    .is_it = [](const JsonMembers &top) { return !top.is_list() && top.has("machine_info"); },
    .read = read_pytest_benchmark});

} // namespace gate
