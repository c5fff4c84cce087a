// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// hyperfine's JSON: each of its times is a process of its own, so each is a load.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tools/gate/readers/collector.h"
#include "tools/gate/readers/format.h"
#include "tools/lib/json.h"
#include "tools/lib/json_stream.h"

namespace gate
{

using result::Benchmark;
using result::Class;
using result::json;
using result::Status;

static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

namespace
{

class Hyperfine {
public:
  explicit Hyperfine(Input &input) : x_input(input), x_collector(input.name()) {}

  Reading read(bool partial)
  {
    JsonBytes bytes(x_input, true);
    try {
      while (!bytes.at_end()) {
        auto element = [&](const json &, const json &entry, size_t index) { take(entry, index); };
        json root = read_json(bytes, "results", element);
        if (!root.is_object() || !root.contains("results") || !root["results"].is_array())
          throw input_error(fmt::format("{}: /results is no list", x_input.name()));
      }
    } catch (const input_error &failure) {
      if (!partial || x_collector.empty())
        throw;
      x_collector.remark(fmt::format("only in part: {}", failure.what()));
    }
    return x_collector.take("hyperfine JSON");
  }

private:
  [[noreturn]] void fail(size_t index, const std::string &what) const
  {
    throw input_error(fmt::format("{}: /results/{} {}", x_input.name(), index, what));
  }

  static const json *list(const json &entry, const char *member)
  {
    auto found = entry.find(member);
    return found != entry.end() && found->is_array() ? &*found : nullptr;
  }

  void take(const json &entry, size_t index)
  {
    if (!entry.is_object() || !entry.contains("command") || !entry["command"].is_string())
      fail(index, "has no command: this is no file of hyperfine");
    Value parameters = Value::object();
    if (auto found = entry.find("parameters"); found != entry.end() && found->is_object())
      for (const auto &[name, value] : found->items())
        parameters[clean_name(name)] =
            clean_name(value.is_string() ? value.get<std::string>() : value.dump());
    Benchmark &benchmark = x_collector.benchmark(entry["command"].get<std::string>(), parameters);
    if (!add_times(benchmark, entry))
      fail(index, "has neither 'times' nor a number 'mean'");
    add_memory(benchmark, entry);
    for (const char *part : {"user", "system"})
      if (auto found = entry.find(part); found != entry.end() && found->is_number())
        x_collector.add_load(benchmark, {.name = part, .unit = "s", .gated = false},
                             {found->get<double>()});
  }

  // A run that failed took what time it took: no figure of the command.
  static bool run_failed(const json *codes, size_t run)
  {
    return codes && run < codes->size() && !((*codes)[run] == 0);
  }

  bool add_times(Benchmark &benchmark, const json &entry)
  {
    const Shape shape{.name = "time", .unit = "s"};
    const json *times = list(entry, "times"), *codes = list(entry, "exit_codes");
    if (!times) {
      auto mean = entry.find("mean");
      if (mean == entry.end() || !mean->is_number())
        return false;
      x_collector.add_load(benchmark, shape, {mean->get<double>()});
      x_collector.remark("a result without its times: the mean is one run");
      return true;
    }
    size_t failed = 0;
    for (size_t run = 0; run < times->size(); run++) {
      const json &time = (*times)[run];
      bool bad = run_failed(codes, run);
      failed += bad;
      if (bad)
        x_collector.drop(benchmark, fmt::format("run {} ended with an error", run + 1));
      x_collector.add_load(benchmark, shape,
                           {!bad && time.is_number() ? time.get<double>() : not_a_number});
    }
    if (failed == times->size() && failed > 0)
      end_as_failed(benchmark);
    return true;
  }

  static void end_as_failed(Benchmark &benchmark)
  {
    benchmark.status = Status::Failed;
    benchmark.reason = "every run ended with an error";
    benchmark.metrics.clear();
  }

  void add_memory(Benchmark &benchmark, const json &entry)
  {
    const json *bytes = list(entry, "memory_usage_byte");
    if (!bytes || benchmark.status != Status::Ok)
      return;
    for (const json &value : *bytes)
      if (value.is_number())
        x_collector.add_load(benchmark, {.name = "memory", .unit = "MiB", .kind = Class::Memory},
                             {value.get<double>() / (1 << 20)});
  }

  Input &x_input;
  Collector x_collector;
};

} // namespace

static const Register hyperfine(JsonFormat{
    .name = "hyperfine JSON",
    .is_it =
        [](const JsonMembers &top) {
          return !top.is_list() && top.schema().empty() && top.has("results");
        },
    .read = [](Input &input, bool partial) { return Hyperfine(input).read(partial); }});

} // namespace gate
