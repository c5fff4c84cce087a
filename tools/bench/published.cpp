// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/published.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "published_data.h"
#include "tools/bench/reports.h"
#include "tools/lib/bench_line.h"
#include "tools/lib/cpus.h"
#include "tools/lib/text.h"

namespace bench
{

namespace
{

using Row = std::map<std::string, std::string>;

std::vector<Row> read_table(const char *text)
{
  std::istringstream lines(text);
  std::vector<std::string> columns;
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream cells(line);
    std::vector<std::string> values;
    for (std::string cell; std::getline(cells, cell, '\t');)
      values.push_back(cell);
    if (columns.empty()) {
      columns = values;
      continue;
    }
    Row &row = rows.emplace_back();
    for (size_t i = 0; i < columns.size() && i < values.size(); i++)
      row[columns[i]] = values[i];
  }
  return rows;
}

// Runs benchmarks one by one and prints rows. Every figure printed was measured here and now, or is
// marked as published.
class Sweep {
public:
  Sweep(const Options &options, Session &session, Signals &signals, unsigned total)
      : x_options(options), x_session(session), x_signals(signals), x_total(total)
  {
  }

  // The summary line of a run, "" where there is none (the reason is on stderr), and its outcome.
  std::pair<bench_line::Line, bool> run(const Selected &selected)
  {
    if (!counting())
      x_progress.show(x_done++, x_total, describe(selected));
    Outcome outcome = x_session.run(selected, false);
    x_progress.clear();
    x_session.keep(outcome.row);
    x_last = outcome.row.status;
    if (outcome.row.metrics.empty())
      return {{}, false};
    x_samples = outcome.samples;
    return {summary(*selected.descriptor->report, outcome), true};
  }

  void print(const std::string &label, const Selected &selected, const std::string &published)
  {
    if (stopped())
      return;
    auto [line, any] = run(selected);
    std::string ours =
        any ? format_table_row(label, line) : fmt::format("{:<20} {}", label, to_string(x_last));
    say(fmt::format("{}\n{:<20} published: {}\n", ours, "", published));
  }

  // With --format commit there is a table at the end instead.
  void say(const std::string &text)
  {
    if (x_options.commit)
      return;
    fmt::print("{}", text);
    if (flush_output())
      throw output_error();
  }

  void title(const std::string &text)
  {
    say(fmt::format("\n{}\n{}\n", text, std::string(text.size(), '=')));
  }

  bool stopped() { return x_signals.pending() != 0; }
  bool quick() const { return x_options.quick; }
  bool commit() const { return x_options.commit; }
  const std::vector<Sample> &samples() const { return x_samples; }

private:
  static bench_line::Line summary(const Report &report, const Outcome &outcome)
  {
    if (!counting())
      return *bench_line::parse(report.summary(outcome.samples));
    bench_line::Line counted{.kind = bench_line::Kind::Summary};
    if (auto line = bench_line::parse(report.summary(outcome.samples)))
      counted.false_hits = line->false_hits;
    counted.instructions = bench_line::Instructions{median_net(outcome.counted)};
    return counted;
  }

  const Options &x_options;
  Session &x_session;
  Signals &x_signals;
  Progress x_progress{"seeds"};
  unsigned x_total, x_done = 0;
  std::vector<Sample> x_samples;
  result::Status x_last = result::Status::Ok;
};

void lpm_tables(Sweep &sweep)
{
  sweep.title("LPM trie, 10000 entries, prefix length 32");
  for (const Row &row : read_table(published_lpm_trie)) {
    bool random = row.at("keys") == "random";
    auto selected =
        select("lpm-trie-" + row.at("op"), 1,
               random ? std::vector<std::pair<std::string, std::string>>{{"random", "1"}}
                      : std::vector<std::pair<std::string, std::string>>{});
    sweep.print(row.at("op") + (random ? " (random)" : ""), selected,
                fmt::format("throughput: {} ± {} {}, latency: {} {}", row.at("throughput"),
                            row.at("stddev"), row.at("throughput_unit"), row.at("latency"),
                            row.at("latency_unit")));
  }
}

// The quick sweep leaves out what takes seconds to fill.
constexpr uint64_t quick_bloom_entries = 50000, quick_speedup_entries = 500000;

bool left_out(const Sweep &sweep, const Row &row, uint64_t most_entries)
{
  return sweep.quick() && *parse_whole(row.at("nr_entries")) > most_entries;
}

void bloom_tables(Sweep &sweep)
{
  sweep.title("Bloom filter");
  for (const Row &row : read_table(published_bloom_filter)) {
    if (left_out(sweep, row, quick_bloom_entries))
      continue;
    std::vector<std::pair<std::string, std::string>> values{
        {"nr_entries", row.at("nr_entries")},
        {"nr_hash_funcs", row.at("nr_hash_funcs")},
        {"value_size", row.at("value_size")}};
    sweep.say(fmt::format("{} hash functions, {} entries, {} bytes\n", row.at("nr_hash_funcs"),
                          row.at("nr_entries"), row.at("value_size")));
    sweep.print("bloom-lookup", select("bloom-lookup", 1, values), row.at("lookup_mops") + "M/s");
    sweep.print("bloom-update", select("bloom-update", 1, values), row.at("update_mops") + "M/s");
    sweep.print("bloom-false-positive", select("bloom-false-positive", 1, values),
                row.at("false_positive_pct") + "%");
  }
}

void approximate_table(Sweep &sweep)
{
  if (sweep.commit()) // these are among the rows of bloom_tables() already
    return;
  const char *entries = sweep.quick() ? "50000" : "2500000";
  sweep.title(fmt::format("Bloom filter, true false-positive rates ({} entries; published without)",
                          entries));
  for (const Row &row : read_table(published_bloom_approx)) {
    if (sweep.stopped())
      return;
    auto selected = select("bloom-false-positive", 1,
                           {{"nr_entries", entries}, {"nr_hash_funcs", row.at("nr_hash_funcs")}});
    std::string ours = "not measured";
    if (sweep.run(selected).second) {
      Counts total;
      for (const Sample &sample : sweep.samples())
        total += sample.counts;
      ours = fmt::format("{:.3f}%", 100.0 * total.false_hits / total.absent);
    }
    sweep.say(fmt::format("{:>2} hash functions {:>12}   published: about {}%\n",
                          row.at("nr_hash_funcs"), ours, row.at("false_positive_pct")));
  }
}

// Ops per second, or per instruction: only ratios of it are told.
double speed(const bench_line::Line &line)
{
  return line.instructions ? 1 / line.instructions->per_op : line.hits_drops->total.mean;
}

void speedup_table(Sweep &sweep)
{
  sweep.title(counting() ? "Hash map with bloom filter: more ops per instruction by"
                         : "Hash map with bloom filter: faster by");
  for (const Row &row : read_table(published_speedup)) {
    if (left_out(sweep, row, quick_speedup_entries))
      continue;
    if (sweep.stopped())
      return;
    std::vector<std::pair<std::string, std::string>> values{{"nr_entries", row.at("nr_entries")},
                                                            {"value_size", row.at("value_size")}};
    auto [without, first] = sweep.run(select("hashmap-without-bloom", 1, values));
    auto [with, second] = sweep.run(select("hashmap-with-bloom", 1, values));
    std::string ours = "not measured";
    if (first && second)
      ours = fmt::format("{:+.1f} %", 100 * (speed(with) / speed(without) - 1));
    sweep.say(fmt::format("{:>2} bytes, {:>7} entries: {:>10}   published: +{} %\n",
                          row.at("value_size"), row.at("nr_entries"), ours, row.at("faster_pct")));
  }
}

void strncmp_table(Sweep &sweep)
{
  utsname kernel = {};
  uname(&kernel);
  std::string arch = kernel.machine;
  arch = arch == "x86_64" ? "x86-64" : arch == "aarch64" ? "arm64" : arch;
  sweep.title("strncmp (published figures hold one system call per comparison)");
  for (const Row &row : read_table(published_strncmp)) {
    if (row.at("arch") != arch)
      continue;
    auto selected =
        select("strncmp-" + row.at("variant"), 1, {{"cmp-str-len", row.at("cmp_str_len")}});
    sweep.print(row.at("variant") + "-" + row.at("cmp_str_len"), selected,
                fmt::format("{} ± {}M/s (drops {} ± {}M/s)", row.at("hits_mops"),
                            row.at("hits_stddev"), row.at("drops_mops"), row.at("drops_stddev")));
  }
}

void htab_table(Sweep &sweep)
{
  // Published with 8 producers on CPUs of their own: as many as this machine has, an even number.
  unsigned producers = std::min<unsigned>(8, allowed_cpus().size()) / 2 * 2;
  sweep.title(fmt::format("htab-mem, {} producers (published: 8)", producers));
  if (!producers) {
    sweep.say("not measured: one CPU only\n");
    return;
  }
  for (const Row &row : read_table(published_htab_mem)) {
    std::string allocator = row.at("allocator");
    std::string published =
        fmt::format("per-prod-op: {} ± {}k/s, avg mem: {} ± {}MiB, peak mem: {}MiB ({})",
                    row.at("per_prod_op_kops"), row.at("stddev"), row.at("avg_mem_mib"),
                    row.at("mem_stddev"), row.at("peak_mem_mib"), allocator);
    if (allocator != "preallocated" && allocator != "bpf_ma") {
      sweep.say(fmt::format(
          "{:<20} not measured: no kernel after 6.0 has that allocator\n{:<20} published: {}\n",
          row.at("use_case"), "", published));
      continue;
    }
    std::vector<std::pair<std::string, std::string>> values{{"use-case", row.at("use_case")}};
    if (allocator == "preallocated")
      values.emplace_back("preallocated", "1");
    sweep.print(row.at("use_case"), select("htab-mem", producers, values), published);
  }
}

// How many runs the sweeps take, for the time that is left.
unsigned count_runs(bool quick)
{
  auto kept = [&](const char *table, uint64_t most_entries) {
    auto rows = read_table(table);
    return std::count_if(rows.begin(), rows.end(), [&](const Row &row) {
      return !quick || *parse_whole(row.at("nr_entries")) <= most_entries;
    });
  };
  return static_cast<unsigned>(read_table(published_lpm_trie).size() +
                               3 * kept(published_bloom_filter, quick_bloom_entries) +
                               read_table(published_bloom_approx).size() +
                               2 * kept(published_speedup, quick_speedup_entries) +
                               read_table(published_strncmp).size() / 2 + 6);
}

} // namespace

void show_published(const Options &options, Session &session, Signals &signals)
{
  Sweep sweep(options, session, signals, count_runs(options.quick));
  sweep.say("Published figures come from other machines and kernels; they are set beside ours, not "
            "compared.\n");
  lpm_tables(sweep);
  bloom_tables(sweep);
  approximate_table(sweep);
  speedup_table(sweep);
  strncmp_table(sweep);
  htab_table(sweep);
}

} // namespace bench
