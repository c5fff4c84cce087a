// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/measure/serve_answer.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "tools/lib/json.h"

namespace gate
{

using result::json;

static constexpr int protocol = 1;

static json member(const json &object, const char *name, json otherwise)
{
  auto found = object.find(name);
  return found == object.end() ? otherwise : *found;
}

// A benchmark has one number, and a row of a store one place.
static void check_unique(const std::vector<result::Benchmark> &benchmarks)
{
  std::set<std::string> keys;
  for (size_t i = 0; i < benchmarks.size(); i++) {
    std::set<std::string> names;
    if (!keys.insert(benchmark_key(benchmarks[i])).second)
      throw input_error(fmt::format("list: /benchmarks/{} is '{}' with the same parameters twice",
                                    i, printable(benchmarks[i].name, 60)));
    for (const result::Metric &metric : benchmarks[i].metrics)
      if (!names.insert(metric.name).second)
        throw input_error(fmt::format("list: /benchmarks/{} has metric '{}' twice", i,
                                      printable(metric.name, 60)));
  }
}

result::Result parse_list_answer(const std::string &answer)
{
  json value = result::parse_json(answer, "list");
  if (!value.is_object() || member(value, "protocol", 0) != protocol)
    throw input_error(fmt::format("list: protocol is not {}", protocol));
  result::Result result;
  result.tool = result::tool_from_json(member(value, "tool", json::object()), "list", "/tool");
  result.environment = to_value(member(value, "environment", json::object()));
  if (!result.environment.is_object())
    throw input_error("list: /environment is no object");
  json benchmarks = member(value, "benchmarks", json::array());
  if (!benchmarks.is_array())
    throw input_error("list: /benchmarks is no list");
  for (size_t i = 0; i < benchmarks.size(); i++)
    result.benchmarks.push_back(
        result::benchmark_from_json(benchmarks[i], "list", fmt::format("/benchmarks/{}", i)));
  check_unique(result.benchmarks);
  return result;
}

// Nothing for what is no JSON object.
static std::optional<json> object_of(const std::string &answer)
{
  try {
    json value = result::parse_json(answer, "answer");
    return value.is_object() ? std::optional(std::move(value)) : std::nullopt;
  } catch (const input_error &) {
    return std::nullopt;
  }
}

std::string parse_load_answer(const std::string &answer)
{
  std::optional<json> value = object_of(answer);
  json tag = value ? member(*value, "bytecode", {}) : json();
  return tag.is_string() ? tag.get<std::string>() : "";
}

std::optional<Epoch> parse_epoch_answer(const std::string &answer)
{
  std::optional<json> value = object_of(answer);
  if (!value)
    return std::nullopt;
  json hits = member(*value, "hits", {}), ns = member(*value, "ns", {});
  auto is_count = [](const json &count) { return count.is_number() && count.get<double>() >= 0; };
  if (!is_count(hits) || !is_count(ns))
    return std::nullopt;
  Epoch epoch = {hits.get<double>(), ns.get<double>(), {}};
  const json values = member(*value, "values", json::object());
  if (!values.is_object())
    return std::nullopt;
  for (const auto &[name, each] : values.items())
    epoch.values[name] =
        each.is_number() ? each.get<double>() : std::numeric_limits<double>::quiet_NaN();
  return epoch;
}

bool refused_by_verifier(const std::string &error) { return error.starts_with("verifier: "); }

} // namespace gate
