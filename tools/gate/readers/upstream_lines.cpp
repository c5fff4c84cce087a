// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/readers/upstream_lines.h"

#include <cmath>

#include "tools/gate/readers/line_pattern.h"
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

namespace
{

struct Form {
  Kind kind;
  const char *pattern;
  // Of its figures; one more than these is the share of a producer. Without a unit: it is a word of
  // the line.
  std::vector<Shape> shapes;
};

} // namespace

static const std::vector<Form> &forms()
{
  static const Shape throughput = rate("throughput", "M ops/s"),
                     created = rate("throughput", "k ops/s"),
                     important = rate("important_throughput", "M ops/s", false),
                     latency = time("latency", "ns/op"),
                     shown_latency = time("latency", "ns/op", false),
                     p99 = time("latency_p99", "ns/op", false), received = rate("receive", "MB/s"),
                     grace = time("grace_period_latency", ""),
                     ticks = time("grace_period_ticks", "ticks", false);
  static const std::vector<Form> all = {
      {Kind::Iter, "Iter %i (%i us): hits %f M/s important_hits %f M/s", {throughput, important}},
      {Kind::Iter, "Iter %i (%i us): creates %f k/s (%f k/prod)", {created}},
      {Kind::Iter, "Iter %i (%i us): Send Speed %* Rcv Speed %f MB/s (%* )", {received}},
      {Kind::Iter, "Iter %i %[avg%] tasks_trace grace period latency %[avg%] %f %w", {grace}},
      {Kind::Iter, "Iter %i %[avg%] ticks per tasks_trace grace period %[avg%] %f", {ticks}},
      {Kind::Final,
       "Summary: hits throughput %m M ops/s, hits latency %f ns/op, important_hits throughput %m M "
       "ops/s",
       {throughput, shown_latency, important}},
      {Kind::Final, "Summary: creates %m k/s (%f k/prod), %n total", {created}},
      // What stands behind the sign is the mean here, and what stands before it the total.
      {Kind::Final, "Summary: total trans %n MB %w %f MB/s", {received}},
      {Kind::Part,
       "SUMMARY tasks_trace grace period latency %[avg%] %f %w %* stddev %n %[us%]",
       {grace}},
      {Kind::Part, "SUMMARY ticks per tasks_trace grace period %[avg%] %f %* stddev %n", {ticks}},
      {Kind::Part, "cpu%: lookup %f M %* events/sec (approximated from %* )", {throughput}},
      {Kind::Part, "%n :hash_map_full_perf %f events per sec", {rate("throughput", "ops/s")}},
      {Kind::Final, "%: median %f ns/op, stddev %n, p99 %f (%n samples)", {latency, p99}},
      {Kind::Final, "RESULT scenario=%w %* median=%f %* p99=%f %* max=%n", {latency, p99}},
  };
  return all;
}

static std::optional<UpstreamLine> made_of(const Form &form, const LineMatch &match)
{
  UpstreamLine line;
  line.kind = form.kind;
  if (form.kind == Kind::Iter && !(match.numbers[0] >= 0 && match.numbers[0] < 1e9))
    return std::nullopt;
  if (form.kind == Kind::Iter)
    line.iteration = static_cast<int>(match.numbers[0]);
  line.normalised = match.numbers.size() > 1;
  if (line.normalised)
    line.tick_us = match.numbers[1];
  for (size_t i = 0; i < form.shapes.size(); i++) {
    line.figures.emplace_back(form.shapes[i], match.figures[i].value);
    if (form.shapes[i].unit.empty())
      line.figures[i].first.unit = match.words.at(0);
  }
  if (match.figures.size() > form.shapes.size())
    line.producers = producers_of(match.figures[0].value, match.figures.back().value);
  std::string_view pattern = form.pattern;
  if (pattern.starts_with("%:"))
    line.name = match.words[0];
  if (pattern.starts_with("RESULT")) {
    line.name = "xdp-lb";
    line.scenario = match.words[0];
  }
  return line;
}

static std::optional<UpstreamLine> other_line(std::string_view text)
{
  // Most lines of an input are none of these, and there may be millions.
  bool may_be_one = std::string_view("ISRc0123456789").find(text[0]) != text.npos ||
                    text.find(": median ") != text.npos;
  if (!may_be_one)
    return std::nullopt;
  for (const Form &form : forms())
    if (auto match = match_line(form.pattern, text))
      return made_of(form, *match);
  return std::nullopt;
}

std::optional<UpstreamLine> parse_upstream_line(std::string_view text)
{
  auto line = known_line(text);
  return line || text.empty() ? line : other_line(text);
}

} // namespace gate
