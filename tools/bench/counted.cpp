// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "tools/bench/reports.h"
#include "tools/lib/bench_line.h"
#include "tools/lib/instruction_clock.h"
#include "tools/lib/text.h"

namespace bench
{

// Odd, so that a median is one of the repetitions.
constexpr unsigned repetitions = 7;
constexpr unsigned least_chunks = 4;

// Guest time passes at no cost of host time while the guest sleeps (-icount sleep=off).
static void sleep_ms(long ms)
{
  timespec time = {ms / 1000, ms % 1000 * 1000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time) == EINTR)
    ;
}

bool counting() { return clock_counts_instructions(); }

double settle()
{
  constexpr int least_seconds = 3, most_seconds = 15;
  const std::string path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  for (int second = 0; second < most_seconds; second++) {
    if (second >= least_seconds && read_small_file(path) != "tsc-early")
      break;
    sleep_ms(1000);
  }
  return instructions_per_ns();
}

namespace
{

// The ops of one load: whole cycles, in chunks.
struct Chunks {
  explicit Chunks(const Selected &selected)
  {
    const Descriptor &descriptor = *selected.descriptor;
    uint64_t chunk = descriptor.batched ? descriptor.counted_ops(selected.params) : 1;
    uint64_t cycle = descriptor.cycle(selected.params);
    uint64_t total = descriptor.batched ? (least_chunks * chunk + cycle - 1) / cycle * cycle : 1;
    for (uint64_t done = 0; done < total; done += sizes.back())
      sizes.push_back(static_cast<uint32_t>(std::min(chunk, total - done)));
    ops.resize(sizes.size());
    bases.resize(sizes.size());
  }

  void forget()
  {
    for (auto *all : {&ops, &bases})
      for (auto &repetitions_of_chunk : *all)
        repetitions_of_chunk.clear();
  }

  std::vector<uint32_t> sizes;
  std::vector<std::vector<uint64_t>> ops, bases; // ns, [chunk][repetition]
  Counts counts;                                 // of the last repetition
};

// One repetition of all chunks, from the same keys each time. False when a signal arrives.
bool repeat(Bench &bench, Chunks &chunks, Signals &signals)
{
  bench.seed(1);
  chunks.counts = {};
  for (size_t i = 0; i < chunks.sizes.size(); i++) {
    if (signals.pending())
      return false;
    // What earlier chunks freed comes back to the allocators after a grace period, and not in the
    // middle of this one.
    constexpr long rest_ms = 100;
    sleep_ms(rest_ms);
    // The base first: it leaves the keys where they are.
    if (auto base = bench.run_base(0, chunks.sizes[i]))
      chunks.bases[i].push_back(base->ns);
    Counts counts = bench.run(0, chunks.sizes[i]);
    chunks.ops[i].push_back(counts.ns);
    chunks.counts += counts;
  }
  return true;
}

bool has_base(const Chunks &chunks) { return !chunks.bases[0].empty(); }

void inject_net(Bench &bench, double pct, const Chunks &chunks)
{
  double raw = sum_of_medians(chunks.ops);
  double net = raw - (has_base(chunks) ? sum_of_medians(chunks.bases) : 0);
  auto q20 = net_injection_q20(pct, raw, net, chunks.sizes.size(), bench.measure_injection());
  if (!q20)
    throw std::runtime_error(
        fmt::format("--inject: {} % of so few instructions cannot be made, only more", pct));
  bench.set_inject_q20(*q20);
}

} // namespace

double sum_of_medians(const std::vector<std::vector<uint64_t>> &repetitions_by_chunk)
{
  double sum = 0;
  for (std::vector<uint64_t> values : repetitions_by_chunk) {
    auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    sum += static_cast<double>(*middle);
  }
  return sum;
}

// The spins of bench_loop.bpf.h follow the raw count, of which loop and keys are a part, and making
// any has a cost of its own.
std::optional<uint64_t> net_injection_q20(double pct, double raw_ns, double net_ns, size_t runs,
                                          const InjectionCost &cost)
{
  double spins = (pct / 100 * net_ns - cost.fixed_ns * runs) / cost.spin_ns;
  if (!(spins >= 1))
    return std::nullopt;
  return std::llround(std::ldexp(spins / raw_ns, 20));
}

// Rates want more distinct ops than are counted.
static Counts counts_of_rates(Bench &bench, const Descriptor &descriptor, const Chunks &chunks)
{
  if (!descriptor.rate_ops)
    return chunks.counts;
  bench.seed(1);
  return bench.run(0, descriptor.rate_ops);
}

std::optional<Counted> count_load(Bench &bench, const Selected &selected, double insns_per_ns,
                                  Signals &signals)
{
  Chunks chunks(selected);
  // The first repetition warms up allocators and is left out.
  if (!repeat(bench, chunks, signals))
    return std::nullopt;
  if (selected.inject_pct > 0)
    inject_net(bench, selected.inject_pct, chunks);
  chunks.forget();
  for (unsigned i = 0; i < repetitions; i++)
    if (!repeat(bench, chunks, signals))
      return std::nullopt;
  double per_op = insns_per_ns / static_cast<double>(chunks.counts.ops());
  Counted counted;
  counted.raw = sum_of_medians(chunks.ops) * per_op;
  if (has_base(chunks))
    counted.base = sum_of_medians(chunks.bases) * per_op;
  counted.sample.readings = bench.readings();
  counted.sample.counts = counts_of_rates(bench, *selected.descriptor, chunks);
  return counted;
}

double median_net(const std::vector<Counted> &loads)
{
  std::vector<double> values;
  for (const Counted &load : loads)
    values.push_back(load.net());
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

static result::Metric instructions_metric(const char *name, bool gated,
                                          const std::vector<Counted> &loads,
                                          const std::function<double(const Counted &)> &value)
{
  result::Metric metric{.name = name,
                        .unit = "insns/op",
                        .better = result::Better::Lower,
                        .kind = result::Class::Exact,
                        .gated = gated};
  for (const Counted &load : loads)
    metric.samples.push_back({value(load)});
  return metric;
}

std::vector<result::Metric> counted_metrics(const Report &report, const std::vector<Counted> &loads)
{
  std::vector<result::Metric> metrics{
      instructions_metric("instructions", true, loads, [](const Counted &l) { return l.net(); })};
  if (loads.front().base)
    metrics.push_back(instructions_metric("instructions_raw", false, loads,
                                          [](const Counted &l) { return l.raw; }));
  std::vector<std::vector<Sample>> samples;
  for (const Counted &load : loads)
    samples.push_back({load.sample});
  for (result::Metric &metric : report.metrics(samples))
    if (metric.kind != result::Class::Time)
      metrics.push_back(std::move(metric));
  return metrics;
}

// "569.824 to 569.831 in 3 loads; loop and keys, 35.150, taken off".
static std::string explain(const std::vector<Counted> &loads)
{
  auto [least, most] =
      std::minmax_element(loads.begin(), loads.end(),
                          [](const Counted &a, const Counted &b) { return a.net() < b.net(); });
  std::string text = fmt::format("Instructions: {:.3f} to {:.3f} in {} load{}; ", least->net(),
                                 most->net(), loads.size(), loads.size() == 1 ? "" : "s");
  const Counted &first = loads.front();
  return text + (first.base ? fmt::format("loop and keys, {:.3f}, taken off", *first.base)
                            : "there is nothing to take off");
}

std::vector<std::string> counted_lines(const Selected &selected, const std::vector<Counted> &loads)
{
  using bench_line::Kind, bench_line::Line;
  Line summary{.kind = Kind::Summary};
  summary.instructions = bench_line::Instructions{median_net(loads)};
  std::vector<std::string> lines{format(summary), explain(loads)};
  std::vector<Sample> samples;
  for (const Counted &load : loads)
    samples.push_back(load.sample);
  const Report &report = *selected.descriptor->report;
  for (const auto &more : {report.untimed(samples), report.more(selected.params, samples)})
    lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

} // namespace bench
