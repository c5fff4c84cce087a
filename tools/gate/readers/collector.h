// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Where the readers of foreign formats put what they find: benchmarks by name and parameters, loads
// of metrics, remarks. It keeps the bounds of reading.h.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/gate/readers/reading.h"

namespace gate
{

// What a figure is, without the figure.
struct Shape {
  std::string name;
  std::string unit;
  result::Better better = result::Better::Lower;
  result::Class kind = result::Class::Unknown; // Unknown: what the unit tells (class_of)
  bool gated = true;
  bool may_be_zero = false;
};

class Collector {
public:
  // input: its name, for errors.
  explicit Collector(std::string input) : x_input(std::move(input)) {}

  // The benchmark with that name, which is cleaned, and these parameters, made where there is none.
  // Valid as long as the collector. Throws input_error beyond the bounds, as all here do.
  result::Benchmark &benchmark(const std::string &name, const Value &parameters = Value::object());

  // One more load (or several) of a metric. The same metric in another unit of the same quantity is
  // converted, in a different one or of another class it is refused.
  void add_load(result::Benchmark &benchmark, const Shape &shape, std::vector<double> samples);
  result::Metric &metric(result::Benchmark &benchmark, const Shape &shape);

  // Something that belongs to the benchmark and could not be used: a run that failed, a broken
  // line. why: one line, of which the first is kept. Its rows can then be neither unchanged nor
  // improved.
  void drop(result::Benchmark &benchmark, const std::string &why);

  // The first twenty are kept, the others counted.
  void remark(const std::string &text);

  bool empty() const { return x_benchmarks.empty(); }
  Value &environment() { return x_environment; }

  Reading take(const std::string &format);

private:
  void count_bytes(size_t bytes);

  std::string x_input;
  std::deque<result::Benchmark> x_benchmarks;
  std::unordered_map<std::string, size_t> x_places;
  Value x_environment = Value::object();
  std::vector<std::string> x_remarks;
  size_t x_more_remarks = 0;
  size_t x_bytes = 0;
};

// A name that may be shown and stored: valid UTF-8 without control characters, at most 500 bytes. A
// longer one ends in a hash of the whole, so that two that begin alike stay two.
std::string clean_name(std::string_view text);

// A number as tools print it: also nan and inf, which become NaN, and thousands in groups
// ("1,145.3"). Nothing for what is no number, or is two: "1,145" is one thousand or one.
std::optional<double> parse_figure(std::string_view text);

} // namespace gate
