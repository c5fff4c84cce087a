// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// hyperfine's JSON: each of its times is a process of its own, so each is a load. A run that failed
// took what time it took, which is no figure of the command.
#include <fmt/format.h>

#include "tools/gate/readers/format.h"
#include "tools/gate/readers/json/entries.h"

namespace gate
{

using result::Benchmark;
using result::json;

static constexpr EntryList list = {"hyperfine JSON", "results", "'command' and 'times' or 'mean'"};

static void add_times(Collector &collector, Benchmark &benchmark, const json &entry)
{
  const Shape shape{.name = "time", .unit = "s"};
  const json times = entry.value("times", json()), codes = entry.value("exit_codes", json());
  if (!times.is_array()) {
    if (!entry.value("mean", json()).is_number())
      throw wrong_entry("has neither 'times' nor a number 'mean'");
    collector.add_load(benchmark, shape, {figure_at(entry, "mean")});
    collector.remark("a result without its times: the mean is one run");
    return;
  }
  for (size_t run = 0; run < times.size(); run++)
    if (codes.is_array() && run < codes.size() && !(codes[run] == 0))
      collector.drop(benchmark, fmt::format("run {} ended with an error", run + 1));
    else
      collector.add_load(benchmark, shape, {figure_in_list(times[run])});
}

static void take(Collector &collector, const json &entry)
{
  std::string command = text_of(entry, "command");
  if (command.empty())
    throw wrong_entry("has no command: this is no file of hyperfine");
  Benchmark &benchmark = collector.benchmark(command, parameters_of(entry, "parameters"));
  add_times(collector, benchmark, entry);
  if (benchmark.metrics.empty())
    return; // every run failed
  for (const json &bytes : entry.value("memory_usage_byte", json::array()))
    if (bytes.is_number())
      collector.add_load(benchmark,
                         {.name = "memory", .unit = "MiB", .kind = result::Class::Memory},
                         {bytes.get<double>() / (1 << 20)});
  for (const char *part : {"user", "system"})
    if (auto found = entry.find(part); found != entry.end() && found->is_number())
      collector.add_load(benchmark, {.name = part, .unit = "s", .gated = false},
                         {found->get<double>()});
}

static Reading read(Input &input, bool partial)
{
  Collector collector(input.name());
  read_entries(input, list, partial, collector, [&](const json &entry) { take(collector, entry); });
  return collector.take(list.format);
}

static bool is_it(const JsonMembers &top)
{
  return !top.is_list() && top.schema().empty() && top.has("results");
}

static const Register hyperfine(JsonFormat{list.format, is_it, read});

} // namespace gate
