// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Go's benchmark text: "BenchmarkName-8  1000  123.4 ns/op  16 B/op", configuration lines
// ("pkg: x"), Unit lines. Everything else in the text is somebody else's.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <unordered_map>

#include "tools/gate/readers/collector.h"
#include "tools/gate/readers/format.h"
#include "tools/gate/readers/line_cursor.h"
#include "tools/gate/statistics/units.h"
#include "tools/lib/text.h"

namespace gate
{

using result::Benchmark;
using result::Better;
using result::Class;

namespace
{

constexpr std::string_view fail_mark = "--- FAIL: ";

struct UnitRule {
  std::optional<Better> better;
  bool exact = false;
};

class GoText : public LineParser {
public:
  explicit GoText(const std::string &input) : x_collector(input) {}

  void line(std::string_view text, size_t number) override
  {
    // A commit message indents what it quotes.
    std::string_view unindented = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    if (unindented.starts_with("Benchmark"))
      take_result(unindented, number);
    else if (unindented.starts_with(fail_mark))
      take_failure(unindented, number);
    else if (!x_open_name.empty() && take_rest(unindented, number))
      return;
    else if (text.starts_with("Unit "))
      take_unit(text.substr(5));
    else if (!text.empty() && std::islower(static_cast<unsigned char>(text[0])))
      take_key(text);
  }

  size_t recognised() const override { return x_results; }

  Reading finish() override
  {
    drop_open();
    for (const auto &[key, value] : x_keys)
      if (key != "pkg" && !x_varying.count(key))
        x_collector.environment()[environment_name(key)] = value;
    Reading reading = x_collector.take("Go benchmark text");
    for (Benchmark &benchmark : reading.result.benchmarks)
      for (const auto &[key, first] : x_varying)
        if (!benchmark.parameters.contains(key))
          benchmark.parameters[key] = first;
    return reading;
  }

private:
  // Of the machine: never a parameter.
  static bool is_environment(std::string_view key)
  {
    return key == "goos" || key == "goarch" || key == "cpu" || key == "kernel" || key == "commit" ||
           key == "date";
  }

  static std::string environment_name(const std::string &key)
  {
    if (key == "cpu")
      return "cpu_model";
    if (key == "goarch")
      return "arch";
    return key == "goos" ? "os" : key;
  }

  void take_key(std::string_view text)
  {
    constexpr size_t longest_key = 64, most_keys = 64;
    size_t colon = text.find(':');
    if (colon == text.npos || colon > longest_key)
      return;
    std::string_view key = text.substr(0, colon), value = text.substr(colon + 1);
    bool plain = std::none_of(key.begin(), key.end(),
                              [](unsigned char c) { return std::isspace(c) || std::isupper(c); });
    bool apart = value.empty() || value[0] == ' ' || value[0] == '\t';
    if (!plain || !apart)
      return;
    size_t first = std::min(value.find_first_not_of(" \t"), value.size());
    std::string name = clean_name(key), now = clean_name(value.substr(first).substr(0, 200));
    auto known = x_keys.find(name);
    if (known == x_keys.end()) {
      if (x_keys.size() < most_keys)
        x_keys.emplace(name, now);
      return;
    }
    if (known->second != now && x_results > 0)
      vary(name, known->second);
    known->second = now;
  }

  // A key with several values in one file tells its benchmarks apart.
  void vary(const std::string &key, const std::string &before)
  {
    if (is_environment(key))
      x_collector.remark(fmt::format("'{}' differs inside the file", printable(key, 40)));
    else if (key != "pkg")
      x_varying.emplace(key, before);
    x_places.clear();
  }

  void take_unit(std::string_view text)
  {
    LineCursor fields(text);
    std::string unit(fields.word().substr(0, 64));
    if (x_units.size() >= most_metrics && !x_units.count(unit))
      return;
    UnitRule &rule = x_units[unit];
    for (std::string_view field = fields.word(); !field.empty(); field = fields.word()) {
      if (field == "better=higher")
        rule.better = Better::Higher;
      else if (field == "better=lower")
        rule.better = Better::Lower;
      else if (field == "assume=exact")
        rule.exact = true;
    }
  }

  // Go prints the name when a benchmark starts and the figures when it ends: what the benchmark
  // prints itself stands between them.
  void take_result(std::string_view text, size_t number)
  {
    drop_open();
    LineCursor fields(text);
    std::string_view word = fields.word(), name = word.substr(9);
    if (name.starts_with("ing") || name.empty())
      return;
    std::string_view count = fields.word();
    if (auto iterations = parse_whole(count)) {
      take_figures(name, *iterations, fields, number);
      return;
    }
    if (text.find(fail_mark) != text.npos)
      return take_failure(text.substr(text.find(fail_mark)), number);
    // The name alone is how -v begins a benchmark; text that only looks like a name has no "-N" and
    // is no name that the input has figures of.
    if (text.size() == word.size() || count == "---")
      return;
    x_open_name = clean_name(name);
    x_open_line = number;
  }

  // "    1000  2531 ns/op", the rest of an open line. Whether it was one.
  bool take_rest(std::string_view text, size_t number)
  {
    LineCursor fields(text), look(text);
    auto iterations = parse_whole(fields.word());
    look.word();
    if (!iterations || !parse_figure(look.word()) ||
        look.word().find('/') == std::string_view::npos)
      return false;
    take_figures(std::exchange(x_open_name, ""), *iterations, fields, number);
    return true;
  }

  // "--- FAIL: BenchmarkBeta-8"
  void take_failure(std::string_view text, size_t number)
  {
    LineCursor fields(text.substr(fail_mark.size()));
    std::string_view word = fields.word();
    if (!word.starts_with("Benchmark"))
      return;
    x_open_name.clear();
    x_collector.drop(benchmark(word.substr(9)), fmt::format("line {}: it failed", number));
  }

  // A result that began and never came.
  void drop_open()
  {
    if (x_open_name.empty())
      return;
    std::string name = std::exchange(x_open_name, "");
    size_t dash = name.rfind('-');
    bool has_procs = dash != name.npos && parse_whole(std::string_view(name).substr(dash + 1));
    if (has_procs || x_places.count(place_key(name)))
      x_collector.drop(benchmark(name),
                       fmt::format("line {}: no figures follow its name", x_open_line));
  }

  void take_figures(std::string_view name, uint64_t iterations, LineCursor &fields, size_t number)
  {
    std::string_view value = fields.word(), unit = fields.word();
    bool any = false;
    for (; !unit.empty(); value = fields.word(), unit = fields.word()) {
      auto figure = parse_figure(value);
      if (!figure)
        break;
      take_figure(benchmark(name), *figure, unit);
      any = true;
    }
    if (!value.empty())
      x_collector.drop(benchmark(name),
                       fmt::format("line {} is broken from '{}' on", number, printable(value, 30)));
    if (!any)
      return;
    x_results++;
    count_iterations(benchmark(name), iterations, number);
  }

  void count_iterations(Benchmark &benchmark, uint64_t iterations, size_t number)
  {
    if (iterations == 0)
      x_collector.remark(fmt::format("line {}: 0 iterations, its values are taken", number));
    else if (!benchmark.iterations)
      benchmark.iterations = static_cast<double>(iterations);
  }

  const std::string &place_key(std::string_view name)
  {
    x_key.assign(name);
    x_key += '\0';
    if (auto pkg = x_keys.find("pkg"); pkg != x_keys.end())
      x_key += pkg->second;
    return x_key;
  }

  // "Lookup/n=10-8": 8 is GOMAXPROCS.
  Benchmark &benchmark(std::string_view name)
  {
    place_key(name);
    auto found = x_places.find(x_key);
    if (found != x_places.end())
      return *found->second;
    Value parameters = Value::object();
    size_t dash = name.rfind('-');
    auto procs = dash == name.npos ? std::nullopt : parse_whole(name.substr(dash + 1));
    if (procs && *procs > 0 && *procs < 1000000) {
      parameters["gomaxprocs"] = static_cast<int64_t>(*procs);
      name = name.substr(0, dash);
    }
    if (auto pkg = x_keys.find("pkg"); pkg != x_keys.end() && !pkg->second.empty())
      parameters["pkg"] = pkg->second;
    // With its first value a benchmark may have been met before the key varied: finish() adds it.
    for (const auto &[key, before] : x_varying)
      if (x_keys[key] != before && !parameters.contains(key))
        parameters[key] = x_keys[key];
    Benchmark &made = x_collector.benchmark(std::string(name), parameters);
    x_places.emplace(x_key, &made);
    return made;
  }

  Shape shape_of(std::string_view unit_text, const UnitRule *rule) const
  {
    std::string unit = clean_name(unit_text.substr(0, 64));
    Shape shape{.name = unit, .unit = unit};
    bool is_time = from_ns_per_op(1, unit).has_value() && direction(unit) == Better::Lower;
    if (is_time)
      shape.name = "time";
    shape.better = rule && rule->better ? *rule->better : direction(unit).value_or(Better::Unknown);
    // Follows from the time, where both are there.
    shape.gated = unit != "MB/s";
    bool counts = unit == "allocs/op" || unit == "insns/op";
    shape.may_be_zero = counts || unit == "B/op";
    if (counts || (rule && rule->exact))
      shape.kind = Class::Exact;
    return shape;
  }

  void take_figure(Benchmark &benchmark, double value, std::string_view unit)
  {
    auto rule = x_units.find(std::string(unit.substr(0, 64)));
    auto known = x_shapes.find(std::string(unit.substr(0, 64)));
    if (known == x_shapes.end()) {
      Shape shape = shape_of(unit, rule == x_units.end() ? nullptr : &rule->second);
      if (x_shapes.size() > 10 * most_metrics)
        x_shapes.clear();
      known = x_shapes.emplace(unit.substr(0, 64), shape).first;
    }
    x_collector.add_load(benchmark, known->second, {value});
  }

  Collector x_collector;
  std::map<std::string, std::string> x_keys;
  std::map<std::string, std::string> x_varying; // their first values
  std::map<std::string, UnitRule> x_units;
  std::map<std::string, Shape> x_shapes;
  std::unordered_map<std::string, Benchmark *> x_places;
  std::string x_key;
  size_t x_results = 0;
  std::string x_open_name; // of a result whose figures have not come yet; empty: none
  size_t x_open_line = 0;
};

} // namespace

static const Register go_text(LineFormat{
    .name = "Go benchmark text", .order = 3, .make = make<GoText>});

} // namespace gate
