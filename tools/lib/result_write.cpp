// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The writing half of result.h.
#include <fmt/format.h>

#include <cmath>

#include "tools/lib/atomic_file.h"
#include "tools/lib/json.h"

namespace result
{

std::string json_text(const json &value, int indent)
{
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

json to_json(const Tool &tool)
{
  return {{"name", tool.name}, {"version", tool.version}, {"revision", tool.revision}};
}

static json samples_json(const std::vector<std::vector<double>> &samples)
{
  json loads = json::array();
  for (const std::vector<double> &load : samples) {
    json list = json::array();
    for (double sample : load)
      list.push_back(std::isfinite(sample) ? json(sample) : json());
    loads.push_back(std::move(list));
  }
  return loads;
}

json to_json(const Metric &metric, bool with_samples)
{
  json value = {{"name", metric.name},
                {"unit", metric.unit},
                {"better", to_string(metric.better)},
                {"class", to_string(metric.kind)},
                {"gated", metric.gated}};
  if (metric.may_be_zero)
    value["may_be_zero"] = true;
  if (!metric.reason.empty())
    value["reason"] = metric.reason;
  if (with_samples)
    value["samples"] = samples_json(metric.samples);
  return value;
}

json to_json(const Benchmark &benchmark, bool with_samples)
{
  json value = {{"name", benchmark.name},
                {"parameters", benchmark.parameters},
                {"op", benchmark.op},
                {"definition", benchmark.definition},
                {"bytecode", benchmark.bytecode}};
  if (!benchmark.base_bytecode.empty())
    value["base_bytecode"] = benchmark.base_bytecode;
  value["status"] = to_string(benchmark.status);
  if (!benchmark.reason.empty())
    value["reason"] = benchmark.reason;
  if (!benchmark.failure.empty())
    value["failure"] = benchmark.failure;
  if (benchmark.inject_pct && std::isfinite(*benchmark.inject_pct))
    value["inject_pct"] = *benchmark.inject_pct;
  if (benchmark.batched)
    value["batched"] = *benchmark.batched;
  value["metrics"] = json::array();
  for (const Metric &metric : benchmark.metrics)
    value["metrics"].push_back(to_json(metric, with_samples));
  for (const Function &function : benchmark.functions)
    value["functions"].push_back({{"name", function.name}, {"events", function.events}});
  return value;
}

// Bytes that are not UTF-8 (from a kernel's file, say) become U+FFFD instead of an exception.
static std::string dump(const json &value) { return json_text(value); }

std::string format_result(const Result &result)
{
  std::string text =
      fmt::format("{{\n\"schema\": \"{}\",\n\"version\": {},\n\"tool\": {},\n"
                  "\"command\": {},\n\"started\": {},\n\"environment\": {},\n"
                  "\"benchmarks\": [",
                  schema_name, schema_version, dump(to_json(result.tool)), dump(result.command),
                  dump(result.started), dump(result.environment));
  const char *separator = "\n";
  for (const Benchmark &benchmark : result.benchmarks) {
    text += separator + dump(to_json(benchmark));
    separator = ",\n";
  }
  return text + "\n]\n}\n";
}

void write_result(const std::string &path, const Result &result)
{
  write_file(path, format_result(result));
}

} // namespace result
