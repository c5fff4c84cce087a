// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// pytest-benchmark's JSON (--benchmark-json). A round is a load, all of them of one process.
#include "tools/gate/readers/format.h"
#include "tools/gate/readers/json/entries.h"

namespace gate
{

using result::json;

static constexpr EntryList list = {"pytest-benchmark JSON", "benchmarks",
                                   "'name' and 'stats' with 'data' or 'mean'"};

static void take(Collector &collector, const json &entry)
{
  // The name has the parameters in it, the full one also the file.
  result::Benchmark &benchmark =
      collector.benchmark(entry.value("fullname", entry.at("name").get<std::string>()));
  const Shape shape{.name = "time", .unit = "s"};
  const json &stats = entry.at("stats");
  auto rounds = stats.find("data");
  if (rounds == stats.end() || !rounds->is_array()) {
    collector.add_load(benchmark, shape, {figure_at(stats, "mean")});
    collector.remark("a benchmark without its rounds (--benchmark-save-data): the mean is one run");
    return;
  }
  for (const json &round : *rounds)
    collector.add_load(benchmark, shape, {figure_in_list(round)});
}

static Reading read(Input &input, bool partial)
{
  Collector collector(input.name());
  read_entries(input, list, partial, collector, [&](const json &entry) { take(collector, entry); });
  collector.remark("a round counts as a load: what the process set up is shared by them");
  return collector.take(list.format);
}

static bool is_it(const JsonMembers &top) { return !top.is_list() && top.has("machine_info"); }

static const Register pytest_benchmark(JsonFormat{list.format, is_it, read});

} // namespace gate
