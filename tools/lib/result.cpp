// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "tools/lib/json.h"
#include "tools/lib/json_stream.h"

namespace result
{

static constexpr std::array<std::pair<const char *, Better>, 4> better_names{
    {{"lower", Better::Lower},
     {"higher", Better::Higher},
     {"none", Better::None},
     {"unknown", Better::Unknown}}};
static constexpr std::array<std::pair<const char *, Class>, 5> class_names{
    {{"time", Class::Time},
     {"exact", Class::Exact},
     {"memory", Class::Memory},
     {"ratio", Class::Ratio},
     {"unknown", Class::Unknown}}};
static constexpr std::array<std::pair<const char *, Status>, 4> status_names{
    {{"ok", Status::Ok},
     {"interrupted", Status::Interrupted},
     {"skipped", Status::Skipped},
     {"failed", Status::Failed}}};

template <class Names, class Value> static const char *name_of(const Names &names, Value value)
{
  for (const auto &[name, candidate] : names)
    if (candidate == value)
      return name;
  return "?";
}

const char *to_string(Better better) { return name_of(better_names, better); }

const char *to_string(Class kind) { return name_of(class_names, kind); }

const char *to_string(Status status) { return name_of(status_names, status); }

namespace
{

// A place in a JSON text. It knows its pointer, so that each error tells where.
class Node {
public:
  Node(const json &value, const std::string &where, std::string pointer)
      : x_value(value), x_where(where), x_pointer(std::move(pointer))
  {
  }

  [[noreturn]] void fail(const std::string &what) const
  {
    throw error(fmt::format("{}: {} {}", x_where, x_pointer.empty() ? "/" : x_pointer, what));
  }

  const json *find(const char *key) const
  {
    require(x_value.is_object(), "an object");
    auto found = x_value.find(key);
    return found == x_value.end() || found->is_null() ? nullptr : &*found;
  }

  Node at(const char *key) const
  {
    const json *value = find(key);
    if (!value)
      Node(x_value, x_where, x_pointer + "/" + key).fail("is missing");
    return Node(*value, x_where, x_pointer + "/" + key);
  }

  Node at(size_t index) const
  {
    return Node(x_value.at(index), x_where, fmt::format("{}/{}", x_pointer, index));
  }

  const json &item(size_t index) const { return x_value[index]; }

  size_t list_size() const
  {
    require(x_value.is_array(), "a list");
    return x_value.size();
  }

  const json &object() const
  {
    require(x_value.is_object(), "an object");
    return x_value;
  }

  std::string text() const
  {
    require(x_value.is_string(), "text");
    return x_value.get<std::string>();
  }

  // What is shown as it is, on terminals too: without control characters.
  std::string label() const
  {
    std::string label = text();
    if (std::any_of(label.begin(), label.end(), [](unsigned char c) { return std::iscntrl(c); }))
      fail(fmt::format("has a control character: '{}'", printable(label, 60)));
    return label;
  }

  std::string text_or_empty(const char *key) const { return find(key) ? at(key).text() : ""; }

  bool flag() const
  {
    require(x_value.is_boolean(), "true or false");
    return x_value.get<bool>();
  }

  int whole() const
  {
    bool fits = x_value.is_number_integer() && x_value.get<double>() >= 0 &&
                x_value.get<double>() <= std::numeric_limits<int>::max();
    require(fits, "a whole number, not negative");
    return x_value.get<int>();
  }

  double number() const
  {
    require(x_value.is_number() && std::isfinite(x_value.get<double>()), "a number");
    return x_value.get<double>();
  }

  double sample() const
  {
    return x_value.is_null() ? std::numeric_limits<double>::quiet_NaN() : number();
  }

  template <class Names> auto one_of(const Names &names) const
  {
    std::string given = text();
    for (const auto &[name, value] : names)
      if (given == name)
        return value;
    fail(fmt::format("is '{}', not one of its known values", printable(given, 60)));
  }

  const std::string &where() const { return x_where; }
  const std::string &pointer() const { return x_pointer; }

private:
  void require(bool fits, const char *expected) const
  {
    if (!fits)
      fail(fmt::format("is {}, expected {}", x_value.type_name(), expected));
  }

  const json &x_value;
  const std::string &x_where;
  std::string x_pointer;
};

} // namespace

// A million of them are usual: their pointers are made only where one is wrong.
static std::vector<std::vector<double>> read_samples(const Node &node)
{
  std::vector<std::vector<double>> samples(node.list_size());
  for (size_t load = 0; load < samples.size(); load++) {
    const json &list = node.item(load);
    if (!list.is_array())
      node.at(load).list_size(); // throws
    samples[load].resize(list.size());
    for (size_t i = 0; i < list.size(); i++)
      samples[load][i] = list[i].is_number() && std::isfinite(list[i].get<double>())
                             ? list[i].get<double>()
                             : node.at(load).at(i).sample();
  }
  return samples;
}

static Metric read_metric(const Node &node)
{
  Metric metric;
  metric.name = node.at("name").label();
  metric.unit = node.at("unit").label();
  metric.better = node.at("better").one_of(better_names);
  metric.kind = node.at("class").one_of(class_names);
  metric.gated = node.find("gated") && node.at("gated").flag();
  metric.may_be_zero = node.find("may_be_zero") && node.at("may_be_zero").flag();
  metric.reason = node.text_or_empty("reason");
  if (node.find("samples"))
    metric.samples = read_samples(node.at("samples"));
  return metric;
}

static Function read_function(const Node &node)
{
  Function function{node.at("name").label(), {}};
  Node events = node.at("events");
  for (const auto &[name, loads] : events.object().items()) {
    Node list = events.at(name.c_str());
    std::vector<double> &figures = function.events[name];
    for (size_t load = 0; load < list.list_size(); load++)
      figures.push_back(list.at(load).number());
  }
  return function;
}

static Benchmark read_benchmark(const Node &node)
{
  Benchmark benchmark;
  benchmark.name = node.at("name").label();
  if (node.find("parameters"))
    benchmark.parameters = to_value(node.at("parameters").object());
  benchmark.op = node.text_or_empty("op");
  benchmark.definition = node.at("definition").whole();
  benchmark.bytecode = node.text_or_empty("bytecode");
  benchmark.base_bytecode = node.text_or_empty("base_bytecode");
  benchmark.status = node.at("status").one_of(status_names);
  benchmark.reason = node.text_or_empty("reason");
  benchmark.failure = node.text_or_empty("failure");
  if (node.find("inject_pct"))
    benchmark.inject_pct = node.at("inject_pct").number();
  if (node.find("batched"))
    benchmark.batched = node.at("batched").flag();
  size_t count = node.find("metrics") ? node.at("metrics").list_size() : 0;
  for (size_t i = 0; i < count; i++)
    benchmark.metrics.push_back(read_metric(node.at("metrics").at(i)));
  count = node.find("functions") ? node.at("functions").list_size() : 0;
  for (size_t i = 0; i < count; i++)
    benchmark.functions.push_back(read_function(node.at("functions").at(i)));
  return benchmark;
}

// One JSON text and nothing after it.
static json read_whole(JsonBytes &bytes, const std::string &list, const JsonElement &element)
{
  if (bytes.at_end())
    throw error(fmt::format("{}: empty, expected JSON", bytes.name()));
  json value = read_json(bytes, list, element);
  if (!bytes.at_end())
    throw error(fmt::format("{}: broken JSON at byte {}{}: more follows after its end",
                            bytes.name(), bytes.position(), of_size(bytes)));
  return value;
}

Benchmark benchmark_from_json(const json &value, const std::string &where,
                              const std::string &pointer)
{
  return read_benchmark(Node(value, where, pointer));
}

Tool tool_from_json(const json &value, const std::string &where, const std::string &pointer)
{
  Node node(value, where, pointer);
  return {node.at("name").text(), node.text_or_empty("version"), node.text_or_empty("revision")};
}

json parse_json(const std::string &text, const std::string &where)
{
  Input input(text, where);
  JsonBytes bytes(input, false);
  return read_whole(bytes, "", {});
}

static bool same_definition(const Benchmark &a, const Benchmark &b)
{
  return a.op == b.op && a.definition == b.definition && a.bytecode == b.bytecode &&
         a.base_bytecode == b.base_bytecode && a.status == b.status && a.reason == b.reason &&
         a.inject_pct == b.inject_pct;
}

static bool same_definition(const Metric &a, const Metric &b)
{
  return a.unit == b.unit && a.better == b.better && a.kind == b.kind && a.gated == b.gated;
}

size_t bytes_of(const std::vector<std::vector<double>> &loads)
{
  constexpr size_t of_allocator = 16;
  size_t bytes = 0;
  for (const std::vector<double> &load : loads)
    bytes += sizeof(load) + of_allocator + load.size() * sizeof(double);
  return bytes;
}

static size_t bytes_of(const Benchmark &benchmark, const std::string &key)
{
  size_t bytes = sizeof(benchmark) + 3 * key.size() + benchmark.op.size() +
                 benchmark.reason.size() + benchmark.bytecode.size();
  for (const Metric &metric : benchmark.metrics)
    bytes += sizeof(metric) + metric.name.size() + metric.unit.size() + metric.reason.size() +
             bytes_of(metric.samples);
  for (const Function &function : benchmark.functions) {
    bytes += sizeof(function) + function.name.size();
    for (const auto &[event, loads] : function.events)
      bytes += 4 * sizeof(loads) + event.size() + loads.size() * sizeof(double);
  }
  return bytes;
}

// Rows of two benchmark objects with one key: repetitions, if everything else is equal.
static void join(Benchmark &into, Benchmark &&other, const Node &node)
{
  if (!same_definition(into, other))
    node.fail(fmt::format("is '{}' with the same parameters twice, but not the same benchmark",
                          printable(other.name, 60)));
  for (Metric &metric : other.metrics) {
    auto same = [&](const Metric &m) { return m.name == metric.name; };
    auto found = std::find_if(into.metrics.begin(), into.metrics.end(), same);
    if (found == into.metrics.end())
      into.metrics.push_back(std::move(metric));
    else if (!same_definition(*found, metric))
      node.fail(fmt::format("has metric '{}' twice, in different units or classes",
                            printable(metric.name, 60)));
    else
      found->samples.insert(found->samples.end(), metric.samples.begin(), metric.samples.end());
  }
}

namespace
{

// The benchmarks of a file, those with one key joined.
class Joined {
public:
  void add(const Node &node)
  {
    Benchmark next = read_benchmark(node);
    // A metric that one object has twice is joined by the same rule.
    Benchmark whole = next;
    whole.metrics.clear();
    join(whole, std::move(next), node);
    std::string key = benchmark_key(whole);
    x_bytes += bytes_of(whole, key);
    if (x_bytes > most_bytes || x_benchmarks.size() == most_benchmarks)
      throw error(fmt::format("{}: too large: more than {} benchmarks, or {} MiB of figures, at {}",
                              node.where(), most_benchmarks, most_bytes >> 20, node.pointer()));
    auto [place, is_new] = x_places.try_emplace(std::move(key), x_benchmarks.size());
    if (is_new)
      x_benchmarks.push_back(std::move(whole));
    else
      join(x_benchmarks[place->second], std::move(whole), node);
  }
  std::vector<Benchmark> take() { return std::move(x_benchmarks); }

private:
  std::vector<Benchmark> x_benchmarks;
  std::map<std::string, size_t> x_places;
  size_t x_bytes = 0;
};

} // namespace

static void check_schema(const Node &root)
{
  if (!root.find("schema") || root.at("schema").text() != schema_name)
    root.fail(fmt::format("is not a result file: \"schema\" is not \"{}\"", schema_name));
  int version = root.at("version").whole();
  if (version > schema_version)
    root.at("version").fail(
        fmt::format("is {}, newer than the {} that this program reads", version, schema_version));
}

// What is no benchmark.
static void read_head(const Node &root, Result &result)
{
  if (root.find("tool"))
    result.tool = tool_from_json(*root.find("tool"), root.where(), "/tool");
  for (size_t i = 0; root.find("command") && i < root.at("command").list_size(); i++)
    result.command.push_back(root.at("command").at(i).text());
  result.started = root.text_or_empty("started");
  if (root.find("environment"))
    result.environment = to_value(root.at("environment").object());
}

Result read_result(Input &input, std::string *broken)
{
  JsonBytes bytes(input, false);
  Result result;
  Joined benchmarks;
  json head;
  auto element = [&](const json &root, const json &value, size_t index) {
    if (index == 0) {
      // A newer version is refused by its name, not by what is new in it.
      if (root.contains("schema"))
        check_schema(Node(root, input.name(), ""));
      head = root;
    }
    benchmarks.add(Node(value, input.name(), fmt::format("/benchmarks/{}", index)));
  };
  try {
    head = read_whole(bytes, "benchmarks", element);
  } catch (const error &failure) {
    if (!broken || head.is_null())
      throw;
    *broken = failure.what();
  }
  Node root(head, input.name(), "");
  check_schema(root);
  root.at("benchmarks").list_size();
  read_head(root, result);
  result.benchmarks = benchmarks.take();
  return result;
}

Result read_result(Input &input) { return read_result(input, nullptr); }

Result read_result(const std::string &path)
{
  Input input(path);
  return read_result(input);
}

Result parse_result(const std::string &text, const std::string &where)
{
  Input input(text, where);
  return read_result(input);
}

// One text for one value: members sorted, 10000.0 and 1e4 as 10000.
static Value canonical(const Value &value)
{
  if (value.is_object()) {
    Value::Object sorted;
    for (const auto &[name, member] : value.items())
      sorted.emplace_back(name, canonical(member));
    std::sort(sorted.begin(), sorted.end(),
              [](const auto &one, const auto &other) { return one.first < other.first; });
    return sorted;
  }
  if (value.is_list()) {
    Value::List list;
    for (const Value &item : value.items_of_list())
      list.push_back(canonical(item));
    return list;
  }
  if (value.is_number() && !value.is_whole()) {
    double number = value.number();
    if (number == std::trunc(number) && std::abs(number) < 1e15)
      return static_cast<int64_t>(number);
  }
  return value;
}

std::string benchmark_key(const Benchmark &benchmark)
{
  return benchmark.name + canonical(benchmark.parameters).dump();
}

std::string row_key(const Benchmark &benchmark, const Metric &metric)
{
  return benchmark_key(benchmark) + metric.name;
}

} // namespace result
