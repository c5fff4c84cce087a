// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/upstream_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tools/bench/per_cpu_rates.h"
#include "tools/bench/reports.h"

namespace bench
{

namespace
{

using Samples = std::vector<Sample>;
using Loads = std::vector<Samples>;

std::string iter_prefix(int iteration, double tick_us)
{
  return fmt::format("Iter {:3d} ({:7.3f}us): ", iteration, tick_us);
}

// Of the samples in which anything was done.
MeanStddev spread_of(const Samples &samples, const std::function<double(const Sample &)> &value)
{
  std::vector<double> values;
  for (const Sample &sample : samples)
    if (sample.counts.ops())
      values.push_back(value(sample));
  return mean_stddev(values);
}

// One line per CPU, of all samples, and none of an interval.
class PerCpuReport : public Report {
public:
  std::string iter(int, double, const Sample &) const override { return ""; }

  std::string summary(const Samples &samples) const override
  {
    std::string text;
    for (const CpuRate &rate : cpu_rates(samples))
      text += (text.empty() ? "" : "\n") + line(rate, samples);
    return text;
  }

private:
  virtual std::string line(const CpuRate &rate, const Samples &samples) const = 0;
};

class FullUpdateReport : public PerCpuReport {
  std::string line(const CpuRate &rate, const Samples &) const override
  {
    return fmt::format("{}:hash_map_full_perf {:.0f} events per sec", rate.cpu, rate.mean * 1e9);
  }
};

class LookupReport : public PerCpuReport {
public:
  std::string quiet_summary(const Samples &samples, bool affinity) const override
  {
    std::string text;
    for (const CpuRate &rate : cpu_rates(samples))
      text += (text.empty() ? "" : "\n") + (affinity ? "" : fmt::format("cpu{:02d} ", rate.cpu)) +
              fmt::format("{:.3f}", rate.mean * 1e3);
    return text;
  }

private:
  std::string line(const CpuRate &rate, const Samples &samples) const override
  {
    return fmt::format("cpu{:02d}: lookup {:.3f}M ± {:.3f}M events/sec (approximated from {} "
                       "samples of ~{:.0f}ms)",
                       rate.cpu, rate.mean * 1e3, rate.stddev * 1e3, rate.samples,
                       samples.front().interval_ns / 1e6);
  }
};

// M/s
double hits_of(const Sample &sample) { return sample.hit_rate * 1e3; }

double important_of(const Sample &sample)
{
  return hits_of(sample) * sample.counts.absent / std::max<uint64_t>(1, sample.counts.hits);
}

class LocalStorageReport : public Report {
public:
  std::string iter(int iteration, double tick_us, const Sample &sample) const override
  {
    return iter_prefix(iteration, tick_us) +
           fmt::format("hits {:8.3f}M/s important_hits {:8.3f}M/s", hits_of(sample),
                       important_of(sample));
  }

  std::string summary(const Samples &samples) const override
  {
    MeanStddev hits = spread_of(samples, hits_of), important = spread_of(samples, important_of);
    return fmt::format("Summary: hits throughput {:8.3f} ± {:5.3f} M ops/s, hits latency {:8.3f} "
                       "ns/op, important_hits throughput {:8.3f} ± {:5.3f} M ops/s",
                       hits.mean, hits.stddev, 1e3 / hits.mean * samples.front().producers,
                       important.mean, important.stddev);
  }

  std::vector<result::Metric> metrics(const Loads &loads) const override
  {
    auto metrics = time_metrics(loads);
    metrics.push_back(make_metric("important_hits", "M ops/s", result::Better::Higher,
                                  result::Class::Time, false, loads, important_of));
    return metrics;
  }
};

class TimingReport : public Report {
public:
  explicit TimingReport(const char *name) : x_name(name) {}

  std::string iter(int, double, const Sample &) const override { return ""; }

  std::string summary(const Samples &samples) const override
  {
    std::vector<double> values;
    for (const Sample &sample : samples)
      if (sample.counts.ops())
        values.push_back(latency_ns(sample));
    if (values.empty())
      return "No timing samples collected.";
    std::sort(values.begin(), values.end());
    size_t count = values.size();
    return fmt::format("{}: median {:.2f} ns/op, stddev {:.2f}, p99 {:.2f} ({} samples)", x_name,
                       values[count / 2], mean_stddev(values).stddev,
                       values[std::min(count - 1, count * 99 / 100)], count);
  }

private:
  const char *x_name;
};

// k/s
double creates_of(const Sample &sample) { return sample.hit_rate * 1e6; }

class StorageCreateReport : public Report {
public:
  std::string iter(int iteration, double tick_us, const Sample &sample) const override
  {
    return iter_prefix(iteration, tick_us) + fmt::format("creates {:8.3f}k/s ({:7.3f}k/prod)",
                                                         creates_of(sample),
                                                         creates_of(sample) / sample.producers);
  }

  std::string summary(const Samples &samples) const override
  {
    MeanStddev creates = spread_of(samples, creates_of);
    uint64_t total = 0;
    for (const Sample &sample : samples)
      total += sample.counts.hits;
    return fmt::format("Summary: creates {:8.3f} ± {:5.3f}k/s ({:7.3f}k/prod), {} total",
                       creates.mean, creates.stddev, creates.mean / samples.front().producers,
                       total);
  }
};

class SockmapReport : public Report {
public:
  std::string iter(int iteration, double tick_us, const Sample &sample) const override
  {
    return iter_prefix(iteration, tick_us) +
           fmt::format("Send Speed {:8.3f} MB/s ({:8.3f} calls/s), BPF Speed {:8.3f} MB/s, Rcv "
                       "Speed {:8.3f} MB/s ({:8.3f} calls/s)",
                       per_second(sample, "sent") / 1e6, per_second(sample, "sends"),
                       per_second(sample, "processed") / 1e6, per_second(sample, "received") / 1e6,
                       per_second(sample, "receives"));
  }

  std::string summary(const Samples &samples) const override
  {
    double mean = 0, bytes = 0;
    for (const Sample &sample : samples) {
      mean += per_second(sample, "processed") / 1e6 / samples.size();
      bytes += reading(sample, "processed");
    }
    return fmt::format("Summary: total trans {:>8} MB ± {:5.3f} MB/s",
                       fmt::format("{:03.0f}", std::floor(bytes / 1e6)), mean);
  }

  std::vector<result::Metric> metrics(const Loads &loads) const override
  {
    auto metrics = time_metrics(loads);
    for (const char *name : {"sent", "processed", "received"})
      metrics.push_back(
          make_metric(name, "MB/s", result::Better::Higher, result::Class::Time, false, loads,
                      [=](const Sample &sample) { return per_second(sample, name) / 1e6; }));
    return metrics;
  }

private:
  static double reading(const Sample &sample, const char *name)
  {
    auto found = sample.readings.find(name);
    return found == sample.readings.end() ? 0 : found->second;
  }
  static double per_second(const Sample &sample, const char *name)
  {
    return reading(sample, name) * 1e9 / sample.interval_ns;
  }
};

class TasksTraceReport : public Report {
public:
  bool quiet_intervals() const override { return true; }

  std::string iter(int iteration, double, const Sample &sample) const override
  {
    std::string text;
    if (auto ns = per_period(sample, "period_ns"))
      text = fmt::format("Iter {}\t avg tasks_trace grace period latency\t{:f} ns", iteration, *ns);
    if (auto ticks = per_period(sample, "ticks"))
      text += fmt::format("\nIter {}\t avg ticks per tasks_trace grace period\t{:f}", iteration,
                          *ticks);
    return text;
  }

  std::string summary(const Samples &samples) const override
  {
    auto [latency, any] = over(samples, "period_ns");
    auto [ticks, any_ticks] = over(samples, "ticks");
    std::string text =
        any ? fmt::format(
                  "SUMMARY tasks_trace grace period latency\tavg {:.3f} us\tstddev {:.3f} us",
                  latency.mean / 1e3, latency.stddev / 1e3)
            : "SUMMARY tasks_trace grace period latency\tn/a: none ended";
    if (any_ticks)
      text += fmt::format("\nSUMMARY ticks per tasks_trace grace period\tavg {:.3f}\tstddev {:.3f}",
                          ticks.mean, ticks.stddev);
    return text;
  }

  std::vector<result::Metric> metrics(const Loads &loads) const override
  {
    auto metrics = time_metrics(loads);
    metrics.push_back(make_metric("grace_period", "us", result::Better::Lower, result::Class::Time,
                                  false, loads, [](const Sample &sample) {
                                    auto ns = per_period(sample, "period_ns");
                                    return ns ? *ns / 1e3
                                              : std::numeric_limits<double>::quiet_NaN();
                                  }));
    return metrics;
  }

private:
  static std::optional<double> per_period(const Sample &sample, const char *name)
  {
    auto periods = sample.readings.find("periods"), value = sample.readings.find(name);
    if (value == sample.readings.end() || periods == sample.readings.end() || !periods->second)
      return std::nullopt;
    return value->second / periods->second;
  }
  static std::pair<MeanStddev, bool> over(const Samples &samples, const char *name)
  {
    std::vector<double> values;
    for (const Sample &sample : samples)
      if (auto value = per_period(sample, name))
        values.push_back(*value);
    return {mean_stddev(values), !values.empty()};
  }
};

} // namespace

std::shared_ptr<const Report> tasks_trace_report() { return std::make_shared<TasksTraceReport>(); }

std::shared_ptr<const Report> sockmap_report() { return std::make_shared<SockmapReport>(); }

std::shared_ptr<const Report> full_update_report() { return std::make_shared<FullUpdateReport>(); }

std::shared_ptr<const Report> lookup_report() { return std::make_shared<LookupReport>(); }

std::shared_ptr<const Report> local_storage_report()
{
  return std::make_shared<LocalStorageReport>();
}

std::shared_ptr<const Report> timing_report(const char *name)
{
  return std::make_shared<TimingReport>(name);
}

std::shared_ptr<const Report> storage_create_report()
{
  return std::make_shared<StorageCreateReport>();
}

} // namespace bench
