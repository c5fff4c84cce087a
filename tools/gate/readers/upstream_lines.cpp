// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/readers/upstream_lines.h"

#include <cmath>

#include "tools/gate/readers/line_cursor.h"
#include "tools/lib/bench_line.h"

namespace gate
{

using result::Better;
using result::Class;
using Kind = UpstreamLine::Kind;

// ---- shapes; names and units are those of our own result files where these have the figure ----

static Shape rate(const char *name, const std::string &unit, bool gated = true)
{
  return {.name = name, .unit = unit, .better = Better::Higher, .gated = gated};
}

static Shape time(const char *name, const std::string &unit, bool gated = true)
{
  return {.name = name, .unit = unit, .gated = gated};
}

static Shape ratio(const char *name, bool gated = true)
{
  return {.name = name, .unit = "%", .kind = Class::Ratio, .gated = gated};
}

static Shape memory(const char *name, bool gated)
{
  return {.name = name, .unit = "MiB", .kind = Class::Memory, .gated = gated};
}

// Shown, not judged.
static Shape plain(const char *name, const std::string &unit)
{
  return {.name = name, .unit = unit, .better = Better::None, .gated = false};
}

// ---- the families that our bench has too ----

// How many producers, if the figures are large enough for three decimals to tell, and small enough
// for as many threads.
static std::optional<int64_t> producers_of(double rate, double per_producer)
{
  constexpr double most = 1e6;
  if (!(per_producer >= 0.05))
    return std::nullopt;
  double count = std::round(rate / per_producer);
  bool tells =
      count >= 1 && count <= most && std::abs(count * per_producer - rate) <= 0.0006 * (count + 1);
  return tells ? std::optional(static_cast<int64_t>(count)) : std::nullopt;
}

static void take(const bench_line::HitsDrops &v, UpstreamLine &line)
{
  line.figures = {{rate("throughput", "M ops/s"), v.total.mean},
                  {plain("hits", "M ops/s"), v.hits.mean},
                  {plain("drops", "M ops/s"), v.drops.mean}};
  if (v.total.mean > 0)
    line.figures.push_back({ratio("drop_share"), 100 * v.drops.mean / v.total.mean});
  line.producers = producers_of(v.hits.mean, v.per_producer);
}

static void take(const bench_line::Ops &v, UpstreamLine &line)
{
  line.figures = {{rate("throughput", clean_name({&v.scale, 1}) + " ops/s"), v.throughput.mean}};
  if (line.kind == Kind::Final)
    line.figures.push_back({time("latency", clean_name(v.unit) + "/op", false), v.latency});
  line.producers = producers_of(v.throughput.mean, v.per_producer);
}

static void take(const bench_line::FalseHits &v, UpstreamLine &line)
{
  if (v.total <= 0)
    return;
  line.figures = {{ratio("false_positive"), 100.0 * v.false_hits / v.total}};
  // Counts, not rates: only of an interval is the length known.
  if (line.kind == Kind::Iter)
    line.figures.push_back({rate("throughput", "M ops/s"), v.total / (1e6 + line.tick_us)});
}

static void take(const bench_line::HtabMem &v, UpstreamLine &line)
{
  // 0.00 is what the kernel's bench prints for memory that it could not read: the process alone has
  // more.
  auto known = [](double value) { return value > 0 ? value : std::nan(""); };
  line.figures = {{rate("per_prod_op", "k ops/s"), v.ops.mean}};
  line.figures.push_back({memory("memory", true), v.memory ? known(v.memory->mean) : std::nan("")});
  if (line.kind == Kind::Final)
    line.figures.push_back({memory("peak_memory", false), known(v.peak.value_or(0))});
}

static void take(const bench_line::Instructions &v, UpstreamLine &line)
{
  Shape shape{.name = "instructions", .unit = "insns/op", .kind = Class::Exact};
  line.figures = {{shape, v.per_op}};
}

static std::optional<UpstreamLine> known_line(std::string_view text)
{
  auto read = bench_line::parse(text);
  if (!read)
    return std::nullopt;
  UpstreamLine line;
  line.kind = read->kind == bench_line::Kind::SettingUp ? Kind::SettingUp
              : read->kind == bench_line::Kind::Started ? Kind::Started
              : read->kind == bench_line::Kind::Iter    ? Kind::Iter
                                                        : Kind::Final;
  line.name = read->name;
  line.iteration = read->iteration;
  line.tick_us = read->tick_us;
  line.normalised = !read->htab_mem;
  if (read->hits_drops)
    take(*read->hits_drops, line);
  if (read->ops)
    take(*read->ops, line);
  if (read->false_hits)
    take(*read->false_hits, line);
  if (read->htab_mem)
    take(*read->htab_mem, line);
  if (read->instructions)
    take(*read->instructions, line);
  return line;
}

// ---- the others ----

// After "Iter N (tick): ".
static void other_iter(LineCursor &at, UpstreamLine &line)
{
  if (at.optional("hits")) {
    line.figures.push_back({rate("throughput", "M ops/s"), at.number()});
    at.literal("M/s important_hits");
    line.figures.push_back({rate("important_throughput", "M ops/s", false), at.number()});
    at.literal("M/s");
  } else if (at.optional("creates")) {
    double creates = at.number();
    at.literal("k/s (");
    line.producers = producers_of(creates, at.number());
    at.literal("k/prod)");
    line.figures.push_back({rate("throughput", "k ops/s"), creates});
  } else {
    at.literal("Send Speed");
    at.skip_past("Rcv Speed");
    line.figures.push_back({rate("receive", "MB/s"), at.number()});
    at.literal("MB/s (");
    at.skip_past(")");
  }
}

static void tasks_trace(LineCursor &at, UpstreamLine &line)
{
  at.optional("avg");
  if (at.optional("tasks_trace grace period latency")) {
    at.optional("avg");
    double value = at.number();
    std::string unit = clean_name(at.word());
    line.figures.push_back({time("grace_period_latency", unit), value});
  } else {
    at.optional("ticks per tasks_trace grace period");
    at.optional("avg");
    line.figures.push_back({time("grace_period_ticks", "ticks", false), at.number()});
  }
}

static void other_summary(LineCursor &at, UpstreamLine &line)
{
  if (at.optional("hits throughput")) {
    line.figures.push_back({rate("throughput", "M ops/s"), at.mean()});
    at.literal("M ops/s, hits latency");
    line.figures.push_back({time("latency", "ns/op", false), at.number()});
    at.literal("ns/op, important_hits throughput");
    line.figures.push_back({rate("important_throughput", "M ops/s", false), at.mean()});
    at.literal("M ops/s");
  } else if (at.optional("creates")) {
    double creates = at.mean();
    at.literal("k/s (");
    line.producers = producers_of(creates, at.number());
    at.literal("k/prod),");
    at.number();
    at.literal("total");
    line.figures.push_back({rate("throughput", "k ops/s"), creates});
  } else {
    // What stands behind the sign is the mean here, and what stands before it the total.
    double mean = 0;
    at.literal("total trans");
    at.number();
    at.literal("MB");
    at.word();
    mean = at.number();
    at.literal("MB/s");
    line.figures.push_back({rate("receive", "MB/s"), mean});
  }
}

// "cpu03: lookup 71.234M ± 0.456M events/sec (approximated from 32 samples of ~14ms)"
static void per_cpu_lookup(LineCursor &at, UpstreamLine &line)
{
  at.literal("cpu");
  at.until(':');
  at.literal("lookup");
  line.figures.push_back({rate("throughput", "M ops/s"), at.number()});
  at.literal("M");
  at.skip_past("events/sec (approximated from");
  at.skip_past(")");
}

// "3:hash_map_full_perf 1234567 events per sec"
static void per_cpu_update(LineCursor &at, UpstreamLine &line)
{
  at.number();
  at.literal(":hash_map_full_perf");
  line.figures.push_back({rate("throughput", "ops/s"), at.number()});
  at.literal("events per sec");
}

// "bpf-nop: median 1.18 ns/op, stddev 0.03, p99 1.24 (238 samples)"
static void timing(LineCursor &at, UpstreamLine &line)
{
  line.name = at.until(':');
  at.literal("median");
  line.figures.push_back({time("latency", "ns/op"), at.number()});
  at.literal("ns/op, stddev");
  at.number();
  at.literal(", p99");
  line.figures.push_back({time("latency_p99", "ns/op", false), at.number()});
  at.literal("(");
  at.number();
  at.literal("samples)");
}

// "RESULT scenario=x samples=200 median=81.00 stddev=0.50 cv=0.62 min=80.10 p99=84.00 max=90.00"
static void machine_line(LineCursor &at, UpstreamLine &line)
{
  at.literal("RESULT scenario=");
  line.scenario = at.word();
  line.name = "xdp-lb";
  at.skip_past("median=");
  line.figures.push_back({time("latency", "ns/op"), at.number()});
  at.skip_past("p99=");
  line.figures.push_back({time("latency_p99", "ns/op", false), at.number()});
  at.skip_past("max=");
  at.number();
}

static void numbered(LineCursor &at, UpstreamLine &line)
{
  double iteration = at.number();
  if (!(iteration >= 0 && iteration < 1e9))
    at.literal("no such iteration");
  else
    line.iteration = static_cast<int>(iteration);
}

static std::optional<UpstreamLine> other_line(std::string_view text)
{
  LineCursor at(text);
  UpstreamLine line;
  if (at.optional("Iter")) {
    numbered(at, line);
    if (at.optional("(")) {
      line.tick_us = at.number();
      line.normalised = true;
      at.literal("us):");
      other_iter(at, line);
    } else {
      tasks_trace(at, line);
      at.optional("ns");
    }
  } else if (at.optional("Summary:")) {
    line.kind = Kind::Final;
    other_summary(at, line);
  } else if (at.optional("SUMMARY")) {
    line.kind = Kind::Part;
    tasks_trace(at, line);
    at.skip_past("stddev");
    at.number();
    at.optional("us");
  } else if (at.next_is("RESULT scenario=")) {
    line.kind = Kind::Final;
    machine_line(at, line);
  } else if (at.next_is("cpu")) {
    line.kind = Kind::Part;
    per_cpu_lookup(at, line);
  } else if (text.find(":hash_map_full_perf") < 8) {
    line.kind = Kind::Part;
    per_cpu_update(at, line);
  } else if (text.find(": median ") != text.npos) {
    line.kind = Kind::Final;
    timing(at, line);
  } else {
    return std::nullopt;
  }
  return at.done() ? std::optional<UpstreamLine>(line) : std::nullopt;
}

std::optional<UpstreamLine> parse_upstream_line(std::string_view text)
{
  auto line = known_line(text);
  return line ? line : other_line(text);
}

} // namespace gate
