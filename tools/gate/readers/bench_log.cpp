// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Console logs of the kernel's bench: any number of benchmarks and runs in one log, with whatever
// else a console shows between them. One run is one load: its intervals are not independent.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/gate/readers/format.h"
#include "tools/gate/readers/upstream_lines.h"

namespace gate
{

using result::Benchmark;
using result::Class;
using result::Metric;
using result::Status;
using Kind = UpstreamLine::Kind;

namespace
{

// One figure of a run over its intervals.
struct Series {
  Shape shape;
  std::vector<double> values;
};

struct Run {
  std::string name;
  BenchCommand command;
  size_t first_line = 0;
  std::vector<Series> series; // of Iter lines
  std::vector<double> ticks_us;
  bool normalised = false;
  int last_iteration = -1;
  std::vector<Series> parts;  // one value a CPU
  std::vector<Series> finals; // of the last line
  bool ended = false;
  size_t broken_line = 0;    // number of the first interval that cannot be read
  size_t broken_summary = 0; // number of a last line that cannot be read
  std::optional<int64_t> producers;
  std::string scenario;
};

class BenchLog : public LineParser {
public:
  explicit BenchLog(const std::string &input) : x_collector(input), x_input(input) {}

  void line(std::string_view text, size_t number) override
  {
    while (text.starts_with("# "))
      text.remove_prefix(2);
    // A commit message or a quoted mail indents it.
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (auto line = parse_upstream_line(text)) {
      x_recognised++;
      take(*line, number);
    } else if (!take_command(text)) {
      take_noise(text, number);
    }
  }

  size_t recognised() const override { return x_recognised + x_refused_line; }

  Reading finish() override
  {
    end_run();
    if (x_recognised == 0)
      throw input_error(
          fmt::format("{}: bench did not run, line {}: {}", x_input, x_refused_line, x_refusal));
    Reading reading = x_collector.take("log of bench");
    for (Benchmark &benchmark : reading.result.benchmarks)
      settle(benchmark);
    return reading;
  }

private:
  void take(const UpstreamLine &line, size_t number)
  {
    switch (line.kind) {
    case Kind::SettingUp:
      begin(line.name, number);
      break;
    case Kind::Started:
      if (!x_open || x_run.name != line.name || !x_run.series.empty())
        begin(line.name, number);
      break;
    case Kind::Iter:
      if (!x_open || line.iteration < x_run.last_iteration)
        begin("", number);
      take_interval(line);
      break;
    case Kind::Part:
      if (!x_open)
        begin("", number);
      add(x_run.parts, line);
      x_run.ended = true;
      break;
    case Kind::Final:
      if (!x_open || (x_run.ended && x_run.parts.empty()))
        begin(line.name, number);
      take_final(line);
      end_run();
      break;
    }
  }

  void begin(const std::string &name, size_t number)
  {
    end_run();
    x_run = Run{.name = name, .command = std::exchange(x_command, {}), .first_line = number};
    x_open = true;
  }

  void add(std::vector<Series> &all, const UpstreamLine &line)
  {
    for (const auto &[shape, value] : line.figures) {
      const std::string &name = shape.name;
      auto same = [&](const Series &series) { return series.shape.name == name; };
      auto found = std::find_if(all.begin(), all.end(), same);
      if (found == all.end())
        found = all.insert(all.end(), {shape, {}});
      found->values.push_back(value);
      x_bytes += sizeof(double);
      if (x_bytes > result::most_bytes)
        throw input_error(
            fmt::format("{}: a run of more than {} MiB", x_input, result::most_bytes >> 20));
    }
  }

  void take_interval(const UpstreamLine &line)
  {
    add(x_run.series, line);
    x_run.ticks_us.push_back(line.tick_us);
    x_run.normalised = line.normalised;
    x_run.last_iteration = line.iteration;
    if (line.producers)
      x_run.producers = line.producers;
  }

  void take_final(const UpstreamLine &line)
  {
    add(x_run.finals, line);
    x_run.ended = true;
    x_run.scenario = line.scenario;
    if (line.producers)
      x_run.producers = line.producers;
  }

  // A command may go on over several lines.
  bool take_command(std::string_view text)
  {
    constexpr size_t longest = 2000;
    bool goes_on = text.ends_with('\\');
    if (!x_continued.empty()) {
      if (x_continued.size() < longest)
        x_continued += std::string(text.substr(0, longest)) + " ";
    } else if (goes_on) {
      x_continued = std::string(text.substr(0, longest)) + " ";
    }
    if (goes_on)
      return true;
    auto command = parse_bench_command(x_continued.empty() ? text : x_continued);
    x_continued.clear();
    if (command) {
      end_run();
      x_command = std::move(*command);
    }
    return command.has_value();
  }

  void take_noise(std::string_view text, size_t number)
  {
    if (text.starts_with("Usage: bench"))
      refuse(number);
    if (text.find("BEGIN PROG LOAD LOG") != text.npos)
      x_verifier = true;
    if (text.starts_with("Iter ") || text.starts_with("Summary:")) {
      x_collector.remark(fmt::format("line {} cannot be read: '{}'", number, printable(text, 60)));
      if (text.starts_with("Summary:") && x_open)
        x_run.broken_summary = number;
      else if (x_open && x_run.broken_line == 0)
        x_run.broken_line = number;
      return;
    }
    if (text.starts_with("WARNING: "))
      x_collector.remark(fmt::format("line {}: {}", number, printable(text, 100)));
    if (text.find_first_not_of(" \t") == text.npos || text.starts_with("Try `bench"))
      return;
    if (x_first_failure.empty() && text.find("failed") != text.npos)
      x_first_failure = printable(text, 120);
    x_last_noise = text.substr(0, 4 * 120); // each line of somebody else's: printable when told
  }

  // The run printed how it is used instead of running.
  void refuse(size_t number)
  {
    if (!x_refused_line) {
      x_refused_line = number;
      x_refusal = last_noise();
    }
    if (x_recognised)
      x_collector.remark(
          fmt::format("line {}: bench refused its arguments: {}", number, last_noise()));
  }

  std::string last_noise() const { return printable(x_last_noise, 120); }

  std::string reason() const
  {
    std::string noise = x_first_failure.empty() ? last_noise() : x_first_failure;
    if (x_run.broken_summary)
      return fmt::format("its Summary cannot be read (line {})", x_run.broken_summary);
    return "no Summary line" + (noise.empty() ? "" : ": " + noise);
  }

  // Which benchmark the run was of.
  Benchmark &benchmark()
  {
    Value parameters = x_run.command.parameters;
    if (x_run.producers && !parameters.contains("producers"))
      parameters["producers"] = *x_run.producers;
    if (parameters.contains("producers") && parameters["producers"] == 1)
      parameters.erase("producers"); // the default, which a log need not tell
    if (!x_run.scenario.empty())
      parameters["scenario"] = clean_name(x_run.scenario);
    std::string name = x_run.name.empty() ? x_run.command.name : x_run.name;
    if (name.empty()) {
      name = fmt::format("unnamed-{}", ++x_unnamed);
      x_collector.remark(fmt::format("line {}: no line tells which benchmark this is (-q?), and no "
                                     "command: called {}",
                                     x_run.first_line, name));
    }
    return x_collector.benchmark(name, parameters);
  }

  void end_run()
  {
    if (!x_open)
      return;
    x_open = false;
    Benchmark &benchmark = this->benchmark();
    if (x_run.ended) {
      add_loads(benchmark);
      if (size_t broken = x_run.broken_line ? x_run.broken_line : x_run.broken_summary)
        x_collector.drop(benchmark, fmt::format("line {} cannot be read", broken));
    } else {
      benchmark.reason = reason();
      benchmark.failure = x_verifier ? "verifier" : "";
      x_collector.drop(benchmark, fmt::format("line {}: it ends without figures: {}",
                                              x_run.first_line, benchmark.reason));
    }
    x_first_failure.clear();
    x_last_noise.clear();
    x_verifier = false;
    x_bytes = 0;
    x_run = {};
  }

  // What is no memory of a process has no figure, and its reason.
  void add_load(Benchmark &benchmark, const Shape &shape, std::vector<double> samples)
  {
    bool unknown = shape.kind == Class::Memory &&
                   std::none_of(samples.begin(), samples.end(), [](double v) { return v > 0; });
    if (unknown)
      x_collector.metric(benchmark, shape).reason = "memory could not be read";
    else if (!samples.empty())
      x_collector.add_load(benchmark, shape, std::move(samples));
  }

  void add_loads(Benchmark &benchmark)
  {
    size_t skipped = warmup();
    for (Series &series : x_run.series) {
      series.values.erase(series.values.begin(),
                          series.values.begin() + std::min(skipped, series.values.size()));
      if (!series.values.empty())
        add_load(benchmark, series.shape, std::move(series.values));
    }
    for (std::vector<Series> *all : {&x_run.parts, &x_run.finals})
      for (Series &series : *all)
        if (!measured(series.shape.name, skipped))
          add_load(benchmark, series.shape, std::move(series.values));
  }

  // Intervals have it, so that the last line says nothing new.
  bool measured(const std::string &name, size_t skipped) const
  {
    return std::any_of(x_run.series.begin(), x_run.series.end(), [&](const Series &series) {
      return series.shape.name == name && x_run.ticks_us.size() > skipped;
    });
  }

  // How many intervals were warm-up: what the command said; else with which number the mean of the
  // others is that of the Summary; else 1, which is bench's default. The first interval begins
  // before the producers are at full speed.
  size_t warmup() const
  {
    if (x_run.command.warmup)
      return *x_run.command.warmup;
    return matching_warmup().value_or(1);
  }

  std::optional<size_t> matching_warmup() const
  {
    for (const Series &last : x_run.finals)
      for (const Series &series : x_run.series)
        if (series.shape.name == last.shape.name && series.shape.unit == last.shape.unit &&
            series.values.size() == x_run.ticks_us.size() && !last.values.empty())
          return matching_warmup(series, last.values[0]);
    return std::nullopt;
  }

  std::optional<size_t> matching_warmup(const Series &series, double mean) const
  {
    // Half a unit of the last digit of both lines.
    double rounding = x_run.normalised ? 0.0011 : 0.011;
    double sum = 0;
    std::optional<size_t> found;
    for (size_t i = series.values.size(); i-- > 0;) {
      // The Summary is made of counts, the interval of counts by its true length.
      double scale = x_run.normalised ? 1 + x_run.ticks_us[i] / 1e6 : 1;
      sum += series.values[i] * scale;
      if (i > 0 && std::abs(sum / (series.values.size() - i) - mean) <= rounding)
        found = i;
    }
    return found;
  }

  // A benchmark of which no run ended has failed; one that lost some of its runs has the others.
  static void settle(Benchmark &benchmark)
  {
    if (benchmark.metrics.empty())
      benchmark.status = Status::Failed;
    else
      benchmark.reason = benchmark.failure = "";
  }

  Collector x_collector;
  std::string x_input;
  size_t x_recognised = 0;
  bool x_open = false;
  Run x_run;
  size_t x_bytes = 0; // of the open run
  BenchCommand x_command;
  std::string x_continued;
  std::string x_first_failure, x_last_noise;
  bool x_verifier = false;
  size_t x_refused_line = 0;
  std::string x_refusal;
  size_t x_unnamed = 0;
};

} // namespace

static const Register bench_log(LineFormat{
    .name = "a log of bench", .order = 4, .make = make<BenchLog>});

} // namespace gate
