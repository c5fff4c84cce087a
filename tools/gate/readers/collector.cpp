// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/readers/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "tools/gate/statistics/units.h"
#include "tools/lib/text.h"

namespace gate
{

using result::Benchmark;
using result::Metric;

static constexpr size_t most_remarks = 20;
// Of a load besides its samples, with what the allocator takes.
static constexpr size_t load_bytes = sizeof(std::vector<double>) + 16;

// How many bytes a UTF-8 character that starts here has; 0 where none does.
static size_t character_length(std::string_view text)
{
  auto c = static_cast<unsigned char>(text[0]);
  size_t length = c < 0x80                ? 1
                  : c >= 0xc2 && c < 0xe0 ? 2
                  : c >= 0xe0 && c < 0xf0 ? 3
                  : c >= 0xf0 && c < 0xf5 ? 4
                                          : 0;
  if (length == 0 || length > text.size())
    return 0;
  for (size_t i = 1; i < length; i++)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, control characters of two bytes, surrogates and what is beyond Unicode.
  auto second = length > 1 ? static_cast<unsigned char>(text[1]) : 0x80;
  bool bad = (c == 0xc2 && second < 0xa0) || (c == 0xe0 && second < 0xa0) ||
             (c == 0xed && second >= 0xa0) || (c == 0xf0 && second < 0x90) ||
             (c == 0xf4 && second >= 0x90);
  return bad ? 0 : length;
}

std::string clean_name(std::string_view text)
{
  constexpr size_t longest = 500;
  std::string end = text.size() > longest ? fmt::format("~{:016x}", fnv1a(text)) : "", name;
  while (!text.empty()) {
    size_t length = character_length(text);
    bool shown = length > 1 || (length == 1 && text[0] >= ' ' && text[0] != 127);
    std::string_view character = shown ? text.substr(0, length) : "?";
    if (name.size() + character.size() + end.size() > longest)
      break;
    name += character;
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return name + end;
}

// "1,145.3" and "1,145,000" without their commas. Empty for any other text with commas.
static std::string ungrouped(std::string_view text)
{
  size_t dot = text.find('.');
  std::string_view whole = text.substr(0, dot);
  std::string digits;
  size_t groups = 0, length = 0;
  for (char c : whole) {
    bool first = groups == 0;
    if (c == ',') {
      if (length == 0 || length > 3 || (!first && length != 3))
        return "";
      groups++;
      length = 0;
    } else {
      digits += c;
      length += std::isdigit(static_cast<unsigned char>(c)) != 0;
    }
  }
  bool is_plain = length == 3 && (groups > 1 || (groups == 1 && dot != text.npos));
  return is_plain ? digits + std::string(text.substr(whole.size())) : "";
}

std::optional<double> parse_figure(std::string_view text)
{
  constexpr size_t longest = 64;
  std::string plain;
  if (text.find(',') != text.npos && text.size() <= longest) {
    plain = ungrouped(text);
    text = plain;
  }
  if (text.starts_with('+'))
    text.remove_prefix(1);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool is_number = error == std::errc() || error == std::errc::result_out_of_range;
  if (!is_number || end != text.data() + text.size())
    return std::nullopt;
  if (error != std::errc() || !std::isfinite(value))
    return std::numeric_limits<double>::quiet_NaN();
  return value;
}

void Collector::count_bytes(size_t bytes)
{
  x_bytes += bytes;
  if (x_bytes > result::most_bytes)
    throw input_error(
        fmt::format("{}: more than {} MiB of figures", x_input, result::most_bytes >> 20));
}

Benchmark &Collector::benchmark(const std::string &name, const Value &parameters)
{
  // The key by which files are matched, so that no two benchmarks of one input share it.
  std::string shown = clean_name(name);
  std::string key = parameters.empty()
                        ? shown + "{}"
                        : result::benchmark_key({.name = shown, .parameters = parameters});
  auto [place, is_new] = x_places.try_emplace(std::move(key), x_benchmarks.size());
  if (is_new) {
    if (x_benchmarks.size() == result::most_benchmarks)
      throw input_error(
          fmt::format("{}: more than {} benchmarks", x_input, result::most_benchmarks));
    count_bytes(sizeof(Benchmark) + 3 * place->first.size());
    x_benchmarks.push_back({.name = std::move(shown), .parameters = parameters});
  }
  return x_benchmarks[place->second];
}

static result::Class kind_of(const Shape &shape)
{
  return shape.kind == result::Class::Unknown ? class_of(shape.unit) : shape.kind;
}

Metric &Collector::metric(Benchmark &benchmark, const Shape &shape)
{
  for (Metric &metric : benchmark.metrics)
    if (metric.name == shape.name)
      return metric;
  if (benchmark.metrics.size() == most_metrics)
    throw input_error(
        fmt::format("{}: '{}' has more than {} metrics", x_input, benchmark.name, most_metrics));
  return benchmark.metrics.emplace_back(Metric{.name = shape.name,
                                               .unit = shape.unit,
                                               .better = shape.better,
                                               .kind = kind_of(shape),
                                               .gated = shape.gated,
                                               .may_be_zero = shape.may_be_zero});
}

void Collector::add_load(Benchmark &benchmark, const Shape &shape, std::vector<double> samples)
{
  Metric &into = metric(benchmark, shape);
  std::optional<double> factor = conversion(shape.unit, into.unit);
  if (!factor || into.kind != kind_of(shape))
    throw input_error(fmt::format("{}: '{}' has metric '{}' in {} and in {}", x_input,
                                  benchmark.name, shape.name, into.unit, shape.unit));
  if (*factor != 1)
    for (double &sample : samples)
      sample *= *factor;
  into.samples.push_back(std::move(samples));
  count_bytes(load_bytes + into.samples.back().size() * sizeof(double));
}

void Collector::drop(Benchmark &benchmark, const std::string &why)
{
  if (benchmark.dropped++ == 0)
    benchmark.first_dropped = clean_name(why);
}

void Collector::remark(const std::string &text)
{
  if (std::find(x_remarks.begin(), x_remarks.end(), text) != x_remarks.end())
    return;
  if (x_remarks.size() < most_remarks)
    x_remarks.push_back(text);
  else
    x_more_remarks++;
}

Reading Collector::take(const std::string &format)
{
  for (Benchmark &benchmark : x_benchmarks) {
    if (benchmark.dropped == 0)
      continue;
    remark(fmt::format("'{}': {} could not be used, first {}", printable(benchmark.name, 60),
                       benchmark.dropped == 1 ? "one run or line"
                                              : fmt::format("{} runs or lines", benchmark.dropped),
                       benchmark.first_dropped));
    // Nothing but what was dropped: it was there, and it has no figure.
    if (benchmark.metrics.empty() && benchmark.status == result::Status::Ok) {
      benchmark.status = result::Status::Failed;
      if (benchmark.reason.empty())
        benchmark.reason = benchmark.first_dropped;
    }
  }
  Reading reading{.format = format, .remarks = std::move(x_remarks)};
  if (x_more_remarks)
    reading.remarks.push_back(fmt::format("and {} more remarks", x_more_remarks));
  reading.result.tool.name = format;
  reading.result.environment = std::move(x_environment);
  reading.result.benchmarks.assign(std::make_move_iterator(x_benchmarks.begin()),
                                   std::make_move_iterator(x_benchmarks.end()));
  return reading;
}

} // namespace gate
