// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/reports.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tools/bench/bloom_rate.h"
#include "tools/lib/bench_line.h"

namespace bench
{

using bench_line::Kind;
using bench_line::Line;
using bench_line::Spread;

// Windows of the random buffer in progs/bloom_filter_bench.c: more lookups repeat the same ones.
constexpr double distinct_windows = 2.5e6;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

MeanStddev mean_stddev(const std::vector<double> &values)
{
  MeanStddev out;
  if (values.empty())
    return {nan_value, nan_value};
  for (double value : values)
    out.mean += value / values.size();
  for (double value : values)
    out.stddev += (value - out.mean) * (value - out.mean);
  out.stddev = values.size() > 1 ? std::sqrt(out.stddev / (values.size() - 1)) : 0;
  return out;
}

double latency_ns(const Sample &sample)
{
  double rate = sample.hit_rate + sample.drop_rate;
  return rate > 0 ? sample.producers / rate : nan_value;
}

double net_latency_ns(const Sample &sample)
{
  const Counts &counts = sample.counts;
  if (!counts.base_ops || !counts.ops())
    return nan_value;
  return static_cast<double>(counts.ns) / counts.ops() -
         static_cast<double>(counts.base_ns) / counts.base_ops;
}

result::Metric make_metric(const char *name, const char *unit, result::Better better,
                           result::Class kind, bool gated,
                           const std::vector<std::vector<Sample>> &loads,
                           const std::function<double(const Sample &)> &value)
{
  result::Metric metric{.name = name, .unit = unit, .better = better, .kind = kind, .gated = gated};
  for (const auto &load : loads) {
    auto &samples = metric.samples.emplace_back();
    for (const Sample &sample : load)
      samples.push_back(value(sample));
  }
  return metric;
}

result::Metric latency_metric(const std::vector<std::vector<Sample>> &loads)
{
  return make_metric("latency", "ns/op", result::Better::Lower, result::Class::Time, true, loads,
                     latency_ns);
}

// ops per ns -> M ops/s
static result::Metric rate_metric(const char *name, const std::vector<std::vector<Sample>> &loads,
                                  double Sample::*rate, result::Better better)
{
  return make_metric(name, "M ops/s", better, result::Class::Time, false, loads,
                     [=](const Sample &sample) { return sample.*rate * 1e3; });
}

static void add_net_metric(std::vector<result::Metric> &metrics,
                           const std::vector<std::vector<Sample>> &loads)
{
  for (const auto &load : loads)
    for (const Sample &sample : load)
      if (!std::isnan(net_latency_ns(sample))) {
        metrics.push_back(make_metric("latency_net", "ns/op", result::Better::Lower,
                                      result::Class::Time, false, loads, net_latency_ns));
        return;
      }
}

std::vector<result::Metric> time_metrics(const std::vector<std::vector<Sample>> &loads)
{
  std::vector<result::Metric> metrics{
      latency_metric(loads),
      rate_metric("throughput", loads, &Sample::hit_rate, result::Better::Higher)};
  add_net_metric(metrics, loads);
  return metrics;
}

std::vector<result::Metric> Report::metrics(const std::vector<std::vector<Sample>> &loads) const
{
  return time_metrics(loads);
}

static Spread spread_of(const std::vector<Sample> &samples,
                        const std::function<double(const Sample &)> &value)
{
  // An interval that ended inside a long op tells nothing about the rate.
  std::vector<double> values;
  for (const Sample &sample : samples)
    if (sample.counts.ops())
      values.push_back(value(sample));
  MeanStddev both = mean_stddev(values);
  return {both.mean, both.stddev};
}

namespace
{

class OpsReport : public Report {
public:
  OpsReport(char scale, const char *unit)
      : x_scale(scale), x_unit(unit), x_per_ns(scale == 'M' ? 1e3 : 1e6)
  {
  }

  std::string iter(int iteration, double tick_us, const Sample &sample) const override
  {
    Line line{.kind = Kind::Iter, .iteration = iteration, .tick_us = tick_us};
    double rate = sample.hit_rate * x_per_ns;
    line.ops = {{rate, 0}, rate / sample.producers, x_scale, 0, x_unit};
    return format(line);
  }

  std::string summary(const std::vector<Sample> &samples) const override
  {
    Line line{.kind = Kind::Summary};
    Spread rate = spread_of(samples, [&](const Sample &s) { return s.hit_rate * x_per_ns; });
    unsigned producers = samples.front().producers;
    // rate in M ops/s gives ns, in K ops/s gives ms: 1000 / M = ns, 1 / K = ms.
    double latency = (x_scale == 'M' ? 1e3 : 1.0) / rate.mean * producers;
    line.ops = {rate, rate.mean / producers, x_scale, latency, x_unit};
    return format(line);
  }

private:
  char x_scale;
  const char *x_unit;
  double x_per_ns;
};

class HitsDropsReport : public Report {
public:
  std::string iter(int iteration, double tick_us, const Sample &sample) const override
  {
    Line line{.kind = Kind::Iter, .iteration = iteration, .tick_us = tick_us};
    double hits = sample.hit_rate * 1e3, drops = sample.drop_rate * 1e3;
    line.hits_drops = {{hits, 0}, {drops, 0}, {hits + drops, 0}, hits / sample.producers};
    return format(line);
  }

  std::string summary(const std::vector<Sample> &samples) const override
  {
    Line line{.kind = Kind::Summary};
    Spread hits = spread_of(samples, [](const Sample &s) { return s.hit_rate * 1e3; });
    Spread drops = spread_of(samples, [](const Sample &s) { return s.drop_rate * 1e3; });
    Spread total =
        spread_of(samples, [](const Sample &s) { return (s.hit_rate + s.drop_rate) * 1e3; });
    line.hits_drops = {hits, drops, total, hits.mean / samples.front().producers};
    return format(line);
  }

  std::vector<result::Metric> metrics(const std::vector<std::vector<Sample>> &loads) const override
  {
    std::vector<result::Metric> metrics{
        latency_metric(loads), rate_metric("hits", loads, &Sample::hit_rate, result::Better::None),
        rate_metric("drops", loads, &Sample::drop_rate, result::Better::None)};
    add_net_metric(metrics, loads);
    return metrics;
  }
};

// What is counted over all samples.
Counts total_counts(const std::vector<Sample> &samples)
{
  Counts total;
  for (const Sample &sample : samples)
    total += sample.counts;
  return total;
}

// As the kernel's bench counts: a false positive is in drops and once more by itself.
bench_line::FalseHits upstream_false_hits(const Counts &counts)
{
  auto false_hits = static_cast<int64_t>(counts.false_hits);
  auto total = static_cast<int64_t>(counts.hits + counts.drops + counts.false_hits);
  return {false_hits, total, total ? 100.0 * false_hits / total : nan_value};
}

double true_rate_pct(const Counts &counts)
{
  return counts.absent ? 100.0 * counts.false_hits / counts.absent : nan_value;
}

class FalsePositiveReport : public Report {
public:
  std::string iter(int iteration, double tick_us, const Sample &sample) const override
  {
    Line line{.kind = Kind::Iter, .iteration = iteration, .tick_us = tick_us};
    line.false_hits = upstream_false_hits(sample.counts);
    return format(line);
  }

  std::string summary(const std::vector<Sample> &samples) const override
  {
    Line line{.kind = Kind::Summary};
    line.false_hits = upstream_false_hits(total_counts(samples));
    return format(line);
  }

  std::vector<std::string> untimed(const std::vector<Sample> &samples) const override
  {
    auto counts = upstream_false_hits(total_counts(samples));
    return {fmt::format("False hits: {} of {} operations, {:.2f} % as the kernel's bench counts",
                        counts.false_hits, counts.total, counts.percentage)};
  }

  std::vector<std::string> more(const Params &params,
                                const std::vector<Sample> &samples) const override
  {
    Counts total = total_counts(samples);
    BloomRate expected = bloom_rate(params.number("nr_entries"), params.number("nr_hash_funcs"),
                                    std::min<double>(total.absent, distinct_windows));
    constexpr double z = 3.2905; // two-sided 99.9 % of the normal distribution
    return {fmt::format("True rate: {:.3f} % of lookups of absent values; formula {:.3f} %, "
                        "99.9 % of filters within {:.3f} to {:.3f} %",
                        true_rate_pct(total), expected.pct, expected.pct - z * expected.sd_pct,
                        expected.pct + z * expected.sd_pct)};
  }

  std::vector<result::Metric> metrics(const std::vector<std::vector<Sample>> &loads) const override
  {
    using result::Better, result::Class;
    return {latency_metric(loads),
            make_metric("false_positive", "%", Better::Lower, Class::Ratio, false, loads,
                        [](const Sample &s) { return upstream_false_hits(s.counts).percentage; }),
            make_metric("false_positive_true", "%", Better::Lower, Class::Ratio, true, loads,
                        [](const Sample &s) { return true_rate_pct(s.counts); })};
  }
};

std::optional<Spread> memory_spread(const std::vector<Sample> &samples)
{
  std::vector<double> values;
  for (const Sample &sample : samples)
    if (auto found = sample.readings.find("memory"); found != sample.readings.end())
      values.push_back(found->second);
  if (values.empty())
    return std::nullopt;
  MeanStddev both = mean_stddev(values);
  return Spread{both.mean, both.stddev};
}

std::optional<double> last_reading(const std::vector<Sample> &samples, const char *name)
{
  auto found = samples.back().readings.find(name);
  return found == samples.back().readings.end() ? std::nullopt : std::optional(found->second);
}

// ops per ns of all producers -> k ops/s of one
double per_producer_kops(const Sample &sample) { return sample.hit_rate * 1e6 / sample.producers; }

class HtabMemReport : public Report {
public:
  std::string iter(int iteration, double tick_us, const Sample &sample) const override
  {
    Line line{.kind = Kind::Iter, .iteration = iteration, .tick_us = tick_us};
    line.htab_mem = {{per_producer_kops(sample), 0}, memory_spread({sample}), {}};
    return format(line);
  }

  std::string summary(const std::vector<Sample> &samples) const override
  {
    Line line{.kind = Kind::Summary};
    line.htab_mem = {spread_of(samples, per_producer_kops), memory_spread(samples),
                     last_reading(samples, "peak_memory")};
    return format(line);
  }

  std::vector<std::string> untimed(const std::vector<Sample> &samples) const override
  {
    auto usage = memory_spread(samples);
    auto peak = last_reading(samples, "peak_memory");
    return {
        fmt::format("Memory: usage {}, peak {}",
                    usage ? fmt::format("{:.2f} ± {:.2f}MiB", usage->mean, usage->stddev) : "n/a",
                    peak ? fmt::format("{:.2f}MiB", *peak) : "n/a")};
  }

  std::vector<result::Metric> metrics(const std::vector<std::vector<Sample>> &loads) const override
  {
    using result::Better, result::Class;
    auto reading = [](const char *name) {
      return [=](const Sample &sample) {
        auto found = sample.readings.find(name);
        return found == sample.readings.end() ? nan_value : found->second;
      };
    };
    return {
        latency_metric(loads),
        make_metric("per_prod_op", "k ops/s", Better::Higher, Class::Time, false, loads,
                    per_producer_kops),
        make_metric("memory", "MiB", Better::Lower, Class::Memory, true, loads, reading("memory")),
        make_metric("peak_memory", "MiB", Better::Lower, Class::Memory, false, loads,
                    reading("peak_memory"))};
  }
};

} // namespace

std::shared_ptr<const Report> ops_report(char scale, const char *unit)
{
  return std::make_shared<OpsReport>(scale, unit);
}

std::shared_ptr<const Report> hits_drops_report() { return std::make_shared<HitsDropsReport>(); }

std::shared_ptr<const Report> false_positive_report()
{
  return std::make_shared<FalsePositiveReport>();
}

std::shared_ptr<const Report> htab_mem_report() { return std::make_shared<HtabMemReport>(); }

} // namespace bench
