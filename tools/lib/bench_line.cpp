// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/bench_line.h"

#include <fmt/format.h>

#include <climits>

#include "tools/lib/text.h"

namespace bench_line
{

// ---- writing: the widths are those of the kernel's bench ----

static std::string format_iter(const Line &line)
{
  std::string text = fmt::format("Iter {:3d} ({:7.3f}us): ", line.iteration, line.tick_us);
  if (const auto &v = line.hits_drops)
    text += fmt::format(
        "hits {:8.3f}M/s ({:7.3f}M/prod), drops {:8.3f}M/s, total operations {:8.3f}M/s",
        v->hits.mean, v->per_producer, v->drops.mean, v->total.mean);
  if (const auto &v = line.ops)
    text += fmt::format("hits {:8.3f}{}/s ({:7.3f}{}/prod)", v->throughput.mean, v->scale,
                        v->per_producer, v->scale);
  if (const auto &v = line.false_hits)
    text += fmt::format("{} false hits of {} total operations. Percentage = {:2.2f} %",
                        v->false_hits, v->total, v->percentage);
  if (const auto &v = line.htab_mem)
    text += fmt::format("per-prod-op {:7.2f}k/s, memory usage {}", v->ops.mean,
                        v->memory ? fmt::format("{:7.2f}MiB", v->memory->mean) : "n/a");
  return text;
}

static std::string format_htab_summary(const HtabMem &v)
{
  return fmt::format(
      "per-prod-op {:7.2f} ± {:7.2f}k/s, memory usage {}, peak memory usage {}", v.ops.mean,
      v.ops.stddev,
      v.memory ? fmt::format("{:7.2f} ± {:7.2f}MiB", v.memory->mean, v.memory->stddev) : "n/a",
      v.peak ? fmt::format("{:7.2f}MiB", *v.peak) : "n/a");
}

static std::string format_summary(const Line &line)
{
  std::string text = "Summary: ";
  if (const auto &v = line.hits_drops)
    text += fmt::format("hits {:8.3f} ± {:5.3f}M/s ({:7.3f}M/prod), drops {:8.3f} ± {:5.3f}M/s, "
                        "total operations {:8.3f} ± {:5.3f}M/s",
                        v->hits.mean, v->hits.stddev, v->per_producer, v->drops.mean,
                        v->drops.stddev, v->total.mean, v->total.stddev);
  if (const auto &v = line.ops)
    text += fmt::format("throughput {:8.3f} ± {:5.3f} {} ops/s ({:7.3f}{} ops/prod), "
                        "latency {:8.3f} {}/op",
                        v->throughput.mean, v->throughput.stddev, v->scale, v->per_producer,
                        v->scale, v->latency, v->unit);
  if (const auto &v = line.false_hits)
    text += fmt::format("{} false hits of {} total operations. Percentage =  {:2.2f} %",
                        v->false_hits, v->total, v->percentage);
  if (const auto &v = line.htab_mem)
    text += format_htab_summary(*v);
  if (const auto &v = line.instructions)
    text += fmt::format("throughput n/a, latency {:8.3f} insns/op", v->per_op);
  return text;
}

std::string format(const Line &line)
{
  switch (line.kind) {
  case Kind::SettingUp:
    return fmt::format("Setting up benchmark '{}'...", line.name);
  case Kind::Started:
    return fmt::format("Benchmark '{}' started.", line.name);
  case Kind::Iter:
    return format_iter(line);
  case Kind::Summary:
    return format_summary(line);
  }
  return "";
}

std::string format_table_row(std::string_view name, const Line &summary)
{
  std::string text;
  if (const auto &v = summary.hits_drops)
    text = fmt::format("{:.3f} ± {:.3f}M/s (drops {:.3f} ± {:.3f}M/s, total operations {:.3f} ± "
                       "{:.3f}M/s)",
                       v->hits.mean, v->hits.stddev, v->drops.mean, v->drops.stddev, v->total.mean,
                       v->total.stddev);
  if (const auto &v = summary.ops)
    text = fmt::format("throughput: {:.3f} ± {:.3f} {} ops/s, latency: {:.3f} {}/op",
                       v->throughput.mean, v->throughput.stddev, v->scale, v->latency, v->unit);
  if (const auto &v = summary.false_hits)
    text = fmt::format("{:.2f}%", v->percentage);
  if (const auto &v = summary.htab_mem)
    text = fmt::format(
        "per-prod-op: {:.2f} ± {:.2f}k/s, avg mem: {}, peak mem: {}", v->ops.mean, v->ops.stddev,
        v->memory ? fmt::format("{:.2f} ± {:.2f}MiB", v->memory->mean, v->memory->stddev) : "n/a",
        v->peak ? fmt::format("{:.2f}MiB", *v->peak) : "n/a");
  if (const auto &v = summary.instructions)
    text = fmt::format("latency: {:.3f} insns/op{}{}", v->per_op, text.empty() ? "" : ", ", text);
  return fmt::format("{:<20} {}", name, text);
}

// ---- reading ----

namespace
{

// Walks over a line. Every step either matches or makes the whole parse fail.
class Cursor {
public:
  explicit Cursor(std::string_view rest) : x_rest(rest) {}

  bool literal(std::string_view text)
  {
    spaces();
    if (x_rest.substr(0, text.size()) != text)
      return x_ok = false;
    x_rest.remove_prefix(text.size());
    return x_ok;
  }
  double number()
  {
    spaces();
    auto end = x_rest.find_first_not_of("+-.0123456789eE");
    // An exponent ends in a digit: the E of "E ops" is no part of the number.
    auto value = parse_number(x_rest.substr(0, end));
    if (!value) {
      x_ok = false;
      return 0;
    }
    x_rest.remove_prefix(std::min(end, x_rest.size()));
    return *value;
  }
  // A count, not negative and below 2^63.
  int64_t whole()
  {
    spaces();
    auto end = x_rest.find_first_not_of("0123456789");
    auto value = parse_whole(x_rest.substr(0, end));
    if (!value || *value > INT64_MAX) {
      x_ok = false;
      return 0;
    }
    x_rest.remove_prefix(std::min(end, x_rest.size()));
    return static_cast<int64_t>(*value);
  }
  int iteration()
  {
    int64_t value = whole();
    x_ok = x_ok && value <= INT_MAX;
    return x_ok ? static_cast<int>(value) : 0;
  }
  // "mean ± stddev", whatever the console made of the sign.
  Spread spread()
  {
    Spread value;
    value.mean = number();
    spaces();
    auto end = x_rest.find(' ');
    x_rest.remove_prefix(std::min(end, x_rest.size()));
    value.stddev = number();
    return value;
  }
  char letter()
  {
    spaces();
    if (x_rest.empty()) {
      x_ok = false;
      return 0;
    }
    char c = x_rest.front();
    x_rest.remove_prefix(1);
    return c;
  }
  std::string word(char until)
  {
    spaces();
    auto end = x_rest.find(until);
    if (end == x_rest.npos) {
      x_ok = false;
      return "";
    }
    std::string text(x_rest.substr(0, end));
    x_rest.remove_prefix(end);
    return text;
  }
  bool next_is(std::string_view text)
  {
    spaces();
    return x_rest.substr(0, text.size()) == text;
  }
  // All matched and nothing is left.
  bool done()
  {
    spaces();
    return x_ok && x_rest.empty();
  }
  bool ok() const { return x_ok; }

private:
  void spaces()
  {
    auto first = x_rest.find_first_not_of(" \t\r");
    x_rest.remove_prefix(std::min(first, x_rest.size()));
  }
  std::string_view x_rest;
  bool x_ok = true;
};

FalseHits parse_false_hits(Cursor &at)
{
  FalseHits v;
  v.false_hits = at.whole();
  at.literal("false hits of");
  v.total = at.whole();
  at.literal("total operations. Percentage =");
  v.percentage = at.number();
  at.literal("%");
  return v;
}

HtabMem parse_htab(Cursor &at, bool summary)
{
  HtabMem v;
  at.literal("per-prod-op");
  v.ops = summary ? at.spread() : Spread{at.number(), 0};
  at.literal("k/s, memory usage");
  if (at.next_is("n/a")) {
    at.literal("n/a");
  } else {
    v.memory = summary ? at.spread() : Spread{at.number(), 0};
    at.literal("MiB");
  }
  if (!summary)
    return v;
  at.literal(", peak memory usage");
  if (at.next_is("n/a")) {
    at.literal("n/a");
  } else {
    v.peak = at.number();
    at.literal("MiB");
  }
  return v;
}

// "hits ..." of an Iter line: with drops, or of the ops family.
void parse_iter_hits(Cursor &at, Line &line)
{
  at.literal("hits");
  double hits = at.number();
  char scale = at.letter();
  at.literal("/s (");
  double per_producer = at.number();
  at.letter();
  at.literal("/prod)");
  if (!at.next_is(",")) {
    line.ops = Ops{{hits, 0}, per_producer, scale, 0, "ns"};
    return;
  }
  HitsDrops v;
  v.hits.mean = hits;
  v.per_producer = per_producer;
  at.literal(", drops");
  v.drops.mean = at.number();
  at.literal("M/s, total operations");
  v.total.mean = at.number();
  at.literal("M/s");
  line.hits_drops = v;
}

HitsDrops parse_summary_hits(Cursor &at)
{
  HitsDrops v;
  at.literal("hits");
  v.hits = at.spread();
  at.literal("M/s (");
  v.per_producer = at.number();
  at.literal("M/prod), drops");
  v.drops = at.spread();
  at.literal("M/s, total operations");
  v.total = at.spread();
  at.literal("M/s");
  return v;
}

// "throughput ...", where it is "n/a" of instructions.
void parse_summary_ops(Cursor &at, Line &line)
{
  at.literal("throughput");
  if (at.next_is("n/a")) {
    at.literal("n/a, latency");
    line.instructions = Instructions{at.number()};
    at.literal("insns/op");
    return;
  }
  Ops v;
  v.throughput = at.spread();
  v.scale = at.letter();
  at.literal("ops/s (");
  v.per_producer = at.number();
  at.letter();
  at.literal("ops/prod), latency");
  v.latency = at.number();
  v.unit = at.word('/');
  at.literal("/op");
  line.ops = v;
}

void parse_iter(Cursor &at, Line &line)
{
  at.literal("Iter");
  line.iteration = at.iteration();
  at.literal("(");
  line.tick_us = at.number();
  at.literal("us):");
  if (at.next_is("hits"))
    parse_iter_hits(at, line);
  else if (at.next_is("per-prod-op"))
    line.htab_mem = parse_htab(at, false);
  else
    line.false_hits = parse_false_hits(at);
}

void parse_summary(Cursor &at, Line &line)
{
  at.literal("Summary:");
  if (at.next_is("hits"))
    line.hits_drops = parse_summary_hits(at);
  else if (at.next_is("throughput"))
    parse_summary_ops(at, line);
  else if (at.next_is("per-prod-op"))
    line.htab_mem = parse_htab(at, true);
  else
    line.false_hits = parse_false_hits(at);
}

} // namespace

std::optional<Line> parse(std::string_view text)
{
  Cursor at(text);
  Line line;
  if (at.next_is("Iter")) {
    line.kind = Kind::Iter;
    parse_iter(at, line);
  } else if (at.next_is("Summary:")) {
    line.kind = Kind::Summary;
    parse_summary(at, line);
  } else if (at.next_is("Setting up benchmark '")) {
    line.kind = Kind::SettingUp;
    at.literal("Setting up benchmark '");
    line.name = at.word('\'');
    at.literal("'...");
  } else if (at.next_is("Benchmark '")) {
    line.kind = Kind::Started;
    at.literal("Benchmark '");
    line.name = at.word('\'');
    at.literal("' started.");
  } else {
    return std::nullopt;
  }
  return at.done() ? std::optional<Line>(line) : std::nullopt;
}

} // namespace bench_line
