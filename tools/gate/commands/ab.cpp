// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate ab --a CMD --b CMD: any two commands, interleaved.
//
// A unit is a pair of processes, back to back. Which one comes first is drawn for all pairs before
// the first one runs, and half of them have b second. How many pairs there are is fixed by then,
// too: one look, so alpha is spent once. The first process of either side is not counted; it tells
// what is printed and how long it takes, and warms what can be warmed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/gate/commands/commands.h"
#include "tools/gate/judge/compare.h"
#include "tools/gate/judge/figures.h"
#include "tools/gate/readers/reading.h"
#include "tools/gate/statistics/random_order.h"
#include "tools/gate/statistics/ranks.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/gate/system/interrupt.h"
#include "tools/gate/system/run_command.h"
#include "tools/lib/environment.h"
#include "tools/lib/progress.h"

namespace gate
{

using result::Benchmark;
using result::Metric;
using result::Result;
using result::Status;

namespace
{

// A run of a side that gives no figures: no verdict but invalid can come of it.
class bad_run : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// What one run of a command printed.
struct Printed {
  std::string format;                // of Reading; empty: nothing that gate reads
  std::vector<Benchmark> benchmarks; // samples: one load with one sample, maybe NaN
};

struct Side {
  const char *name;
  std::vector<std::string> argv;
  std::string format; // of what it prints
  Result result;      // of all counted runs
  double wall_ns = 0; // of the run that is not counted
};

} // namespace

// A process is one unit: its loads, if it made several, become one figure.
static void merge_loads(Benchmark &benchmark)
{
  for (Metric &metric : benchmark.metrics) {
    Figures figures = figures_of(metric, PerLoad::Median);
    if (metric.reason.empty())
      metric.reason = figures.invalid;
    double value = figures.invalid.empty() ? median(figures.usable())
                                           : std::numeric_limits<double>::quiet_NaN();
    metric.samples = {{value}};
  }
}

// Any format of docs/formats.md, and the wall time of the whole command where nothing was printed
// that gate reads. Throws input_error for a format that is broken.
static Printed read_printed(Finished &run)
{
  try {
    Input input(std::move(run.output), "standard output");
    Reading reading = read_results(input);
    for (Benchmark &benchmark : reading.result.benchmarks)
      merge_loads(benchmark);
    return {reading.format, std::move(reading.result.benchmarks)};
  } catch (const unknown_input &) {
    Metric wall = {.name = "wall", .unit = "ms", .gated = true, .samples = {{run.wall_ns / 1e6}}};
    return {"",
            {{.name = "command",
              .op = "the whole command, from its start to its end",
              .metrics = {wall}}}};
  }
}

namespace
{

class Ab {
public:
  explicit Ab(const Options &options) : x_options(options), x_order(options.seed), x_progress("ab")
  {
    x_sides[0] = {"a", split_command("--a", options.base)};
    x_sides[1] = {"b", split_command("--b", options.comp)};
    x_report = {.command = "ab", .alpha = options.alpha, .seed = options.seed};
    x_report.policy = options.policy();
    x_report.started = utc_now();
    // Both run here.
    x_report.base_environment = x_report.comp_environment = read_environment();
  }

  int run()
  {
    try {
      learn();
      x_pairs = choose_pairs();
      x_second = x_order.balanced_coins(x_pairs);
      measure();
      judge_all();
    } catch (const bad_run &failure) {
      x_report.rows = {invalid_row(failure.what())};
    }
    x_progress.clear();
    hint_renames(x_report.rows);
    return finish(x_report, x_options);
  }

private:
  // The first lines of what it complained of, as one line.
  static std::string described(const Side &side, const std::string &failure,
                               const std::string &complaints)
  {
    std::string words = complaints;
    while (!words.empty() && isspace(static_cast<unsigned char>(words.back())))
      words.pop_back();
    for (size_t at = 0; (at = words.find('\n', at)) != words.npos;)
      words.replace(at, 1, " | ");
    for (char &c : words)
      if (static_cast<unsigned char>(c) < ' ')
        c = '?';
    return fmt::format("{} ('{}'): {}{}{}", side.name, side.argv[0], failure,
                       words.empty() ? "" : ": ", words);
  }

  Finished run_side(const Side &side)
  {
    try {
      Finished run = run_command(side.argv, x_options.timeout_ms);
      if (!run.failure.empty())
        throw bad_run(described(side, run.failure, run.complaints));
      return run;
    } catch (const std::system_error &failure) {
      throw bad_run(fmt::format("{}: {}", side.name, failure.what()));
    }
  }

  static Printed figures(const Side &side, Finished &run)
  {
    try {
      return read_printed(run);
    } catch (const std::runtime_error &failure) {
      throw bad_run(described(side, failure.what(), run.complaints));
    }
  }

  void learn()
  {
    for (Side &side : x_sides) {
      x_progress.show(0, 1, fmt::format("{}, not counted", side.name));
      Finished run = run_side(side);
      side.wall_ns = run.wall_ns;
      Printed printed = figures(side, run);
      side.format = printed.format;
      side.result.benchmarks = std::move(printed.benchmarks);
      for (Benchmark &benchmark : side.result.benchmarks)
        for (Metric &metric : benchmark.metrics)
          metric.samples.clear();
    }
    const Side &a = x_sides[0], &b = x_sides[1];
    auto shown = [](const Side &side) {
      return side.format.empty() ? "nothing that gate reads" : side.format;
    };
    if (a.format != b.format)
      throw bad_run(
          fmt::format("the two commands print different things: a {}, b {}", shown(a), shown(b)));
    if (a.format.empty())
      x_report.remarks.push_back("no figures of a bench on standard output: what is compared is "
                                 "the wall time of the whole command");
  }

  size_t choose_pairs() const
  {
    if (x_options.budget_s == 0)
      return x_options.pairs;
    double pair_s = (x_sides[0].wall_ns + x_sides[1].wall_ns) / 1e9;
    double pairs = std::min<double>(x_options.budget_s / pair_s, x_options.most_pairs);
    // Even, so that both orders come equally often.
    return std::max<size_t>(2, static_cast<size_t>(pairs / 2) * 2);
  }

  void measure()
  {
    for (size_t pair = 0; pair < x_pairs; pair++)
      for (int place = 0; place < 2; place++) {
        check_interrupts();
        Side &side = x_sides[(place == 1) == x_second[pair]];
        x_progress.show(2 * pair + place, 2 * x_pairs,
                        fmt::format("pair {}: {}", pair + 1, side.name));
        add(side, run_side(side), pair);
      }
  }

  void add(Side &side, Finished run, size_t pair)
  {
    auto [format, fresh] = figures(side, run);
    auto &known = side.result.benchmarks;
    if (format != side.format || fresh.size() != known.size())
      throw bad_run(described(side,
                              fmt::format("run {} printed other figures than the first", pair + 1),
                              run.complaints));
    for (size_t i = 0; i < known.size(); i++)
      add_benchmark(side, known[i], fresh[i], pair);
  }

  static void add_benchmark(const Side &side, Benchmark &known, const Benchmark &fresh, size_t pair)
  {
    bool same = benchmark_key(known) == benchmark_key(fresh) && known.status == fresh.status &&
                known.metrics.size() == fresh.metrics.size();
    for (size_t k = 0; same && k < known.metrics.size(); k++)
      same = known.metrics[k].name == fresh.metrics[k].name;
    if (!same)
      throw bad_run(fmt::format("{}: run {} printed other figures of '{}' than the first",
                                side.name, pair + 1, known.name));
    for (size_t k = 0; k < known.metrics.size(); k++)
      add_figure(side, known, known.metrics[k], fresh.metrics[k], pair);
  }

  // Dropping a pair because one side of it gave no figure could hide that it was too slow to.
  static void add_figure(const Side &side, const Benchmark &benchmark, Metric &known,
                         const Metric &fresh, size_t pair)
  {
    double value = fresh.samples.at(0).at(0);
    if (fresh.gated && std::isnan(value))
      throw bad_run(fmt::format("{}: run {} has no usable {} of '{}'{}{}", side.name, pair + 1,
                                fresh.name, benchmark.name, fresh.reason.empty() ? "" : ": ",
                                fresh.reason));
    known.samples.push_back({value});
  }

  void judge_all()
  {
    Result &a = x_sides[0].result, &b = x_sides[1].result;
    rename_benchmarks(a, x_options.renames);
    Settings settings = {.paired = true,
                         .tolerance = x_options.tolerance,
                         .alpha = x_options.alpha,
                         .fewest_loads = 0};
    for (const Benchmark &benchmark : b.benchmarks) {
      settings.comp_second[benchmark_key(benchmark)] = x_second;
      if (x_sides[0].argv == x_sides[1].argv)
        settings.identical.insert(benchmark_key(benchmark));
    }
    std::vector<Candidate> rows = match_rows(a, b, settings);
    judge(rows, x_options.alpha, x_options.alpha);
    x_report.rows = rows_of(std::move(rows));
    x_report.remarks.push_back(
        fmt::format("{} pairs of processes in random order, seed {}", x_pairs, x_options.seed));
  }

  Row invalid_row(const std::string &why) const
  {
    Row row = {.name = "command", .metric = "figures"};
    found(row, "failed", why);
    return row;
  }

  const Options &x_options;
  RandomOrder x_order;
  Progress x_progress;
  Report x_report;
  std::array<Side, 2> x_sides;
  size_t x_pairs = 0;
  std::vector<bool> x_second; // by pair: b runs second
};

} // namespace

int ab(const Options &options) { return Ab(options).run(); }

} // namespace gate
