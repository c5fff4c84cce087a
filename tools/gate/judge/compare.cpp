// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/compare.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tools/gate/judge/bytecode.h"
#include "tools/gate/judge/exact.h"
#include "tools/gate/judge/figures.h"
#include "tools/gate/judge/tail.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/gate/statistics/units.h"

namespace gate
{

using result::Benchmark;
using result::Better;
using result::Class;
using result::Metric;
using result::Result;
using result::Status;

// Whose figures a row shows that has those of one side only.
enum class Side { Base, Comp };

static Row make_row(const Benchmark &benchmark, const Metric &metric)
{
  Row row;
  row.name = benchmark.name;
  row.parameters = benchmark.parameters;
  row.metric = metric.name;
  row.unit = metric.unit;
  row.better = metric.better;
  row.kind = metric.kind;
  row.gated = metric.gated && metric.better != Better::None;
  return row;
}

// What readers dropped of both sides.
static void put_dropped(Row &row, const Benchmark &base, const Benchmark &comp)
{
  for (auto [side, benchmark] : {std::pair("base", &base), std::pair("comp", &comp)})
    if (benchmark->dropped)
      found(row, "dropped",
            fmt::format("{}: {} dropped, first {}", side, benchmark->dropped,
                        benchmark->first_dropped));
}

static Candidate settled(Row row, Cause cause, const std::string &text)
{
  found(row, cause, text);
  return {.row = std::move(row)};
}

static void put_figures(Row &row, const std::vector<double> &base, const std::vector<double> &comp)
{
  row.base = finite(median(base));
  row.comp = finite(median(comp));
  row.base_loads = base.size();
  row.comp_loads = comp.size();
}

void allow_only(Settings &settings, double budget)
{
  settings.tolerance = settings.count_tolerance = settings.exact_tolerance = budget;
  settings.memory_relative = budget;
  settings.ratio_points = 100 * budget;
}

const Threshold *find_threshold(const std::vector<Threshold> &all, const std::string &benchmark,
                                const std::string &metric)
{
  auto last = std::find_if(all.rbegin(), all.rend(), [&](const Threshold &each) {
    return (each.metric.empty() || each.metric == metric) &&
           fnmatch(each.benchmarks.c_str(), benchmark.c_str(), 0) == 0;
  });
  return last == all.rend() ? nullptr : &*last;
}

// The least tolerance, on the row's scale.
static double exact_floor(const Row &row, const Settings &settings)
{
  switch (row.kind) {
  case Class::Memory:
    return row.relative ? std::max(settings.memory_relative, settings.memory_floor_mib / *row.base)
                        : settings.memory_floor_mib;
  case Class::Ratio:
    return settings.ratio_points;
  default:
    break;
  }
  EventFloor event = event_floor(row.metric, settings.op_insns);
  if (!row.relative)
    return event.absolute;
  double least = row.unit == count_unit   ? settings.count_tolerance
                 : row.unit == event_unit ? std::max(event.relative, settings.count_tolerance)
                                          : settings.exact_tolerance;
  return std::max(least, event.absolute / std::abs(*row.base));
}

static Candidate exact_row(Row row, const std::vector<double> &base,
                           const std::vector<double> &comp, const Settings &settings)
{
  row.method = "exact";
  row.relative = row.kind != Class::Ratio &&
                 std::abs(*row.base) > event_floor(row.metric, settings.op_insns).absolute;
  double floor = exact_floor(row, settings);
  Exact exact = judge_exact(base, comp, floor, row.relative);
  if (exact.spread > floor)
    add_note(row, fmt::format("varies by itself by {:.3g}{}, which is the tolerance",
                              (row.relative ? 100 : 1) * exact.spread, row.relative ? " %" : ""));
  row.change = exact.change;
  row.spread = exact.spread;
  row.tolerance = exact.tolerance;
  row.mde = exact.tolerance + exact.spread;
  bool above = exact.change > exact.tolerance, below = -exact.change > exact.tolerance;
  if (row.better == Better::Higher)
    std::swap(above, below);
  if (row.better == Better::Unknown)
    above = std::exchange(below, false) || above;
  if (above)
    found(row, "worse");
  else if (below)
    found_better(row);
  else
    found(row, "not-worse");
  return {.row = std::move(row)};
}

namespace
{

// The units that both sides have: the log of comp / base, and whether comp was the second one.
// Dropping a unit never depends on which side was slower.
struct Units {
  std::vector<double> logs;
  std::vector<bool> comp_second;
};

} // namespace

static Units units_of(const Figures &base, const Figures &comp,
                      const std::vector<bool> &comp_second)
{
  Units units;
  for (size_t i = 0; i < comp_second.size(); i++)
    if (double log = std::log(comp.loads.at(i) / base.loads.at(i)); std::isfinite(log)) {
      units.logs.push_back(log);
      units.comp_second.push_back(comp_second[i]);
    }
  return units;
}

static Margin margin_of(Class kind, const Settings &settings)
{
  switch (kind) {
  case Class::Memory:
    return {settings.memory_relative, settings.memory_floor_mib};
  case Class::Ratio:
    return {0, settings.ratio_points};
  default:
    return {settings.tolerance, 0};
  }
}

static void add_evidence(Candidate &candidate, const Figures &base, const Figures &comp,
                         const std::string &key, const Settings &settings)
{
  Row &row = candidate.row;
  if (settings.paired && row.kind == Class::Time) {
    Units units = units_of(base, comp, settings.comp_second.at(key));
    row.base_loads = row.comp_loads = units.logs.size();
    row.method = "ab";
    row.tolerance = settings.tolerance;
    candidate.evidence = paired_evidence(units.logs, units.comp_second, settings.tolerance,
                                         row.better, settings.planned_units);
    return;
  }
  Margin margin = margin_of(row.kind, settings);
  row.method = settings.paired ? "ab" : "stored";
  // From 0, no percentage means anything: the difference is told, and the absolute floor judges.
  row.relative = row.kind != Class::Ratio && *row.base != 0;
  row.tolerance = row.relative ? margin.relative : margin.absolute;
  if (row.kind == Class::Memory && row.relative && margin.absolute > margin.relative * *row.base) {
    row.tolerance = margin.absolute / *row.base;
    add_note(row, fmt::format("{:g} {} are allowed, more than {:g} %", margin.absolute, row.unit,
                              100 * margin.relative));
  }
  candidate.evidence =
      apart_evidence(base.usable(), comp.usable(), margin, row.better, row.relative);
}

// Work that vanished is no improvement. Ratios (false positives) may be zero.
static bool is_collapse(const Row &row, bool may_be_zero)
{
  return !may_be_zero && row.kind != Class::Ratio && row.kind != Class::Unknown && *row.base != 0 &&
         *row.comp == 0;
}

// No margin around zero is known, and none is needed.
static bool all_zero(const Figures &base, const Figures &comp)
{
  auto is_zero = [](double value) { return value == 0; };
  return std::all_of(base.loads.begin(), base.loads.end(), is_zero) &&
         std::all_of(comp.loads.begin(), comp.loads.end(), is_zero);
}

// The fewest loads a side of which two that lie wholly apart differ at alpha, shared by that many
// rows: half of it is either side's, and of an unknown direction each has half
// (docs/statistics/files.md).
static size_t loads_for(const Row &row, const Settings &settings, size_t family)
{
  return fewest_units(settings.alpha / family / (row.better == Better::Unknown ? 4 : 2));
}

// Each row by itself may be proven unchanged; that it is worse takes more where rows share alpha.
static std::string few_loads_note(const Row &row, size_t fewest, size_t loads,
                                  const Settings &settings)
{
  size_t worse =
      settings.paired ? 0 : loads_for(row, settings, std::max<size_t>(1, settings.family));
  std::string more =
      worse > fewest ? fmt::format(" ({} to be found worse among {} rows)", worse, settings.family)
                     : "";
  return fmt::format("needs {} loads a side{}, has {}", fewest, more, loads);
}

// What is shown and not judged says so where it has plainly changed.
static void note_ungated_change(Row &row, const std::vector<double> &base,
                                const std::vector<double> &comp, const Settings &settings)
{
  if (row.gated || row.better == Better::None || !row.relative || !row.change ||
      row.kind == Class::Memory || std::abs(*row.change) <= settings.tolerance)
    return;
  auto [least_base, most_base] = std::minmax_element(base.begin(), base.end());
  auto [least_comp, most_comp] = std::minmax_element(comp.begin(), comp.end());
  if (*most_base < *least_comp || *most_comp < *least_base)
    add_note(row, fmt::format("changed, and not judged (--gate {})", row.metric));
}

static Candidate figures_row(Row row, const Figures &base, const Figures &comp, bool may_be_zero,
                             const std::string &key, const Settings &settings)
{
  put_figures(row, base.usable(), comp.usable());
  row.base_samples = base.loads;
  row.comp_samples = comp.loads;
  bool told = has_cause(row, "dropped"); // by the reader, and why
  for (auto [side, figures] : {std::pair("base", &base), std::pair("comp", &comp)}) {
    if (!figures->invalid.empty())
      return settled(std::move(row), "bad-figures", fmt::format("{}: {}", side, figures->invalid));
    // Measured in turns, a pair falls out whichever side lacks it; apart, only survivors are left.
    if (size_t lost = figures->loads.size() - figures->usable().size();
        lost && !told && !settings.paired)
      found(row, "dropped",
            fmt::format("{}: {} of {} loads have no figure", side, lost, figures->loads.size()));
    if (figures->dropped && !told)
      add_note(row, fmt::format("{}: {} of {} samples unusable, dropped", side, figures->dropped,
                                figures->samples));
  }
  // The median of two huge figures may be none.
  if (!row.base || !row.comp)
    return settled(std::move(row), "bad-figures", "its figures are too large to be compared");
  if (is_collapse(row, may_be_zero))
    return settled(std::move(row), "bad-figures", "collapsed to zero");
  if (row.kind == Class::Exact || settings.counted)
    return exact_row(std::move(row), base.usable(), comp.usable(), settings);
  Candidate candidate = {.row = std::move(row)};
  add_evidence(candidate, base, comp, key, settings);
  candidate.row.change = finite(candidate.evidence->change());
  size_t loads = std::min(candidate.row.base_loads, candidate.row.comp_loads);
  size_t fewest = settings.paired ? settings.fewest_loads : loads_for(candidate.row, settings, 1);
  if (loads < fewest) {
    std::string note = few_loads_note(candidate.row, fewest, loads, settings);
    return settled(std::move(candidate.row), "few-loads", candidate.row.gated ? note : "");
  }
  note_ungated_change(candidate.row, base.usable(), comp.usable(), settings);
  if (all_zero(base, comp) && candidate.row.kind == Class::Unknown)
    return settled(std::move(candidate.row), "not-worse", "zero in every load");
  return candidate;
}

static bool has_samples(const Metric &metric)
{
  return std::any_of(metric.samples.begin(), metric.samples.end(),
                     [](const auto &load) { return !load.empty(); });
}

static Candidate one_sided_row(Row row, Side side, const Metric &metric, Cause cause,
                               const std::string &text)
{
  Figures figures = figures_of(metric, PerLoad::Median);
  bool of_base = side == Side::Base;
  (of_base ? row.base : row.comp) = finite(median(figures.usable()));
  (of_base ? row.base_loads : row.comp_loads) = figures.usable().size();
  (of_base ? row.base_samples : row.comp_samples) = figures.loads;
  return settled(std::move(row), cause, text);
}

static Candidate metric_row(Row row, const Metric &base, const Metric &comp, const std::string &key,
                            const Settings &settings)
{
  row.gated = (base.gated || comp.gated) && comp.better != Better::None;
  row.unit = base.unit;
  std::optional<double> factor = conversion(comp.unit, base.unit);
  if (!factor)
    return settled(std::move(row), "other-kind",
                   fmt::format("unit {} against {}", base.unit, comp.unit));
  // One side may know what the other does not.
  row.better = base.better == Better::Unknown ? comp.better : base.better;
  if (row.better == Better::Unknown && row.gated)
    add_note(row, "direction unknown, any change counts (--better METRIC=lower|higher|none)");
  bool same_better = base.better == comp.better || base.better == Better::Unknown ||
                     comp.better == Better::Unknown;
  if (!same_better || base.kind != comp.kind)
    return settled(std::move(row), "other-kind", "direction or class of the metric differs");
  if (!has_samples(base) && !has_samples(comp)) {
    row.gated = false;
    return settled(std::move(row), "no-figures", "no figures on either side");
  }
  if (!has_samples(comp))
    return one_sided_row(std::move(row), Side::Base, base, "not-measured",
                         comp.reason.empty() ? "no figures now" : comp.reason);
  if (!has_samples(base))
    return one_sided_row(std::move(row), Side::Comp, comp, "no-baseline", base.reason);
  PerLoad statistic = settings.paired ? PerLoad::Quartile : PerLoad::Median;
  return figures_row(std::move(row), figures_of(base, statistic),
                     figures_of(comp, statistic, *factor), base.may_be_zero || comp.may_be_zero,
                     key, settings);
}

static std::string inject_note(const Benchmark &base, const Benchmark &comp)
{
  std::string note;
  if (base.inject_pct)
    note = fmt::format("base slowed on purpose by {} %", *base.inject_pct);
  if (comp.inject_pct)
    note +=
        fmt::format("{}comp slowed on purpose by {} %", note.empty() ? "" : "; ", *comp.inject_pct);
  return note;
}

// The fixed cost of a sample is spread over its ops.
static std::string iterations_note(const Benchmark &base, const Benchmark &comp)
{
  if (!base.iterations || !comp.iterations)
    return "";
  double low = std::min(*base.iterations, *comp.iterations);
  double high = std::max(*base.iterations, *comp.iterations);
  if (low > 0 && high < 2 * low)
    return "";
  return fmt::format("{} against {} iterations a sample: what a sample costs once weighs "
                     "differently",
                     *base.iterations, *comp.iterations);
}

static const Metric *find_metric(const Benchmark &benchmark, const std::string &name)
{
  auto same = [&](const Metric &metric) { return metric.name == name; };
  auto found = std::find_if(benchmark.metrics.begin(), benchmark.metrics.end(), same);
  return found == benchmark.metrics.end() ? nullptr : &*found;
}

namespace
{

class Matcher {
public:
  Matcher(const Result &base, const Result &comp, const Settings &settings)
      : x_base(base), x_comp(comp), x_settings(settings)
  {
  }

  std::vector<Candidate> run()
  {
    std::map<std::string, const Benchmark *> base;
    for (const Benchmark &benchmark : x_base.benchmarks) {
      base.emplace(result::benchmark_key(benchmark), &benchmark);
      x_settings.family += std::count_if(
          benchmark.metrics.begin(), benchmark.metrics.end(),
          [](const Metric &metric) { return metric.gated && metric.kind != Class::Exact; });
    }
    for (const Benchmark &benchmark : x_comp.benchmarks) {
      x_key = result::benchmark_key(benchmark);
      auto found = base.find(x_key);
      if (found == base.end()) {
        add_new(benchmark, "");
        continue;
      }
      add_pair(*found->second, benchmark);
      base.erase(found);
    }
    for (const Benchmark &benchmark : x_base.benchmarks) {
      x_key = result::benchmark_key(benchmark);
      bool expected = !x_settings.expected || x_settings.expected->count(x_key);
      if (base.count(x_key) && expected && has_figures(benchmark))
        add_all(Side::Base, benchmark, "not-measured", "not in comp");
    }
    return std::move(x_rows);
  }

private:
  // Of a test or a program of veristat, that it failed is a figure.
  static bool has_figures(const Benchmark &benchmark)
  {
    return benchmark.status == Status::Ok || benchmark.status == Status::Interrupted ||
           (benchmark.status == Status::Failed && find_metric(benchmark, "failed"));
  }

  static std::string failed(const std::string &what, const Benchmark &benchmark)
  {
    return what + (benchmark.reason.empty() ? "" : ": ") + benchmark.reason;
  }

  void add(Candidate candidate)
  {
    candidate.key = x_key;
    if (x_settings.identical.count(x_key))
      found(candidate.row, "same-code",
            candidate.evidence ? "the same code on both sides: this host is too noisy to judge"
                               : "the same code on both sides: not exact on this host");
    x_rows.push_back(std::move(candidate));
  }

  // Every gated metric of a benchmark gets the same verdict; without metrics, one row stands for
  // it.
  void add_all(Side side, const Benchmark &benchmark, Cause cause, const std::string &text)
  {
    size_t before = x_rows.size();
    for (const Metric &metric : benchmark.metrics)
      if (metric.gated)
        add(one_sided_row(make_row(benchmark, metric), side, metric, cause, text));
    if (x_rows.size() > before)
      return;
    Row row = make_row(benchmark, {});
    row.gated = benchmark.metrics.empty();
    add(settled(std::move(row), cause, text));
  }

  void add_new(const Benchmark &benchmark, const std::string &note)
  {
    if (benchmark.status == Status::Failed)
      add_all(Side::Comp, benchmark, "failed", failed("new, and it fails", benchmark));
    else if (benchmark.status == Status::Skipped)
      add_ungated(benchmark, "skipped: " + benchmark.reason);
    else
      add_all(Side::Comp, benchmark, "no-baseline", note.empty() ? "no baseline" : note);
  }

  void add_ungated(const Benchmark &benchmark, const std::string &note)
  {
    Row row = make_row(benchmark, {});
    row.gated = false;
    add(settled(std::move(row), "no-figures", note));
  }

  void add_pair(const Benchmark &base, const Benchmark &comp)
  {
    // The stored executable could be measured once, and cannot now: no statement about comp.
    if (x_settings.paired && base.status == Status::Failed)
      return add_all(Side::Comp, comp, "base-failed", failed("base failed", base));
    if (x_settings.paired && base.status == Status::Skipped)
      return add_all(Side::Comp, comp, "not-measured", "base skipped: " + base.reason);
    if (!has_figures(base))
      return add_new(comp,
                     fmt::format("no baseline: it {}: {}", to_string(base.status), base.reason));
    if (comp.status == Status::Failed && !has_figures(comp))
      return add_failure(base, comp);
    if (comp.status == Status::Skipped)
      return add_all(Side::Base, base, "not-measured", "skipped: " + comp.reason);
    if (!x_settings.incomparable.empty())
      return add_all(Side::Comp, comp, "other-machine", x_settings.incomparable);
    if (base.definition != comp.definition)
      return add_all(Side::Comp, comp, "other-kind",
                     fmt::format("definition {} against {}: the benchmark measures something else",
                                 base.definition, comp.definition));
    if (base.status == Status::Interrupted || comp.status == Status::Interrupted)
      return add_all(Side::Comp, comp, "interrupted", "interrupted");
    add_metrics(base, comp);
  }

  // A program that the verifier took and now refuses is a regression, however many metrics it had.
  // Anything else that fails makes no statement about them.
  void add_failure(const Benchmark &base, const Benchmark &comp)
  {
    if (comp.failure.empty())
      return add_all(Side::Base, base, "failed", failed("failed", comp));
    Row row = make_row(base, {.name = comp.failure, .kind = Class::Exact, .gated = true});
    row.method = "exact";
    add(settled(std::move(row), "refused", "failed: " + comp.reason));
  }

  void add_metrics(const Benchmark &base, const Benchmark &comp)
  {
    const Metric *insns = find_metric(base, "modelled_insns");
    x_settings.op_insns = insns ? median(figures_of(*insns, PerLoad::Median).usable()) : 0;
    for (const Metric &metric : base.metrics) {
      Row row = make_row(comp, metric);
      put_dropped(row, base, comp);
      row.same_bytecode = base.bytecode == comp.bytecode;
      if (row.kind == Class::Time || metric.unit == count_unit)
        add_note(row, inject_note(base, comp));
      if (metric.name == "failed" && comp.status == Status::Failed)
        add_note(row, comp.reason);
      else if (row.kind == Class::Time)
        add_note(row, iterations_note(base, comp));
      if (std::string why = refused_bytecode(metric, base, comp, row); !why.empty())
        add(settled(std::move(row), "other-kind", why));
      else if (const Metric *other = find_metric(comp, metric.name))
        add_metric(std::move(row), metric, *other);
      else
        add(one_sided_row(
            std::move(row), Side::Base, metric, "not-measured",
            fmt::format("comp ({} {}) has no such metric", x_comp.tool.name, x_comp.tool.version)));
    }
    for (const Metric &metric : comp.metrics)
      if (!find_metric(base, metric.name))
        add(one_sided_row(make_row(comp, metric), Side::Comp, metric, "no-baseline",
                          "no baseline"));
  }

  // With the row's own tolerance, where it has one.
  const Settings &settings_of(Row &row)
  {
    const Threshold *threshold = find_threshold(x_settings.thresholds, row.name, row.metric);
    if (!threshold)
      return x_settings;
    add_note(row,
             fmt::format("tolerance {:g} %, {}", 100 * threshold->tolerance, threshold->place));
    auto [own, is_new] = x_own.try_emplace(threshold->tolerance, x_settings);
    if (is_new)
      allow_only(own->second, threshold->tolerance);
    own->second.op_insns = x_settings.op_insns;
    return own->second;
  }

  void add_metric(Row row, const Metric &base, const Metric &comp)
  {
    const Settings &settings = settings_of(row);
    Candidate candidate = metric_row(std::move(row), base, comp, x_key, settings);
    std::optional<Candidate> tail;
    bool wanted = x_settings.show_tail || x_settings.gate_tail;
    if (wanted && candidate.evidence && candidate.row.method == "ab" && candidate.row.gated &&
        candidate.row.kind == Class::Time && base.unit == comp.unit)
      tail = tail_row(candidate.row, base.samples, comp.samples, settings);
    add(std::move(candidate));
    if (tail)
      add(std::move(*tail));
  }

  // Counts of another program: why they are not compared, or a note that they are.
  std::string refused_bytecode(const Metric &metric, const Benchmark &base, const Benchmark &comp,
                               Row &row) const
  {
    if (metric.unit != count_unit && metric.unit != event_unit)
      return "";
    BytecodeCheck check = check_bytecode({x_base.environment, base}, {x_comp.environment, comp});
    add_note(row, check.note);
    return check.refusal;
  }

  const Result &x_base;
  const Result &x_comp;
  Settings x_settings;
  std::map<double, Settings> x_own; // by the tolerance of a threshold
  std::string x_key;
  std::vector<Candidate> x_rows;
};

} // namespace

std::vector<Candidate> match_rows(const Result &base, const Result &comp, const Settings &settings)
{
  return Matcher(base, comp, settings).run();
}

std::vector<Row> rows_of(std::vector<Candidate> candidates)
{
  std::vector<Row> rows;
  for (Candidate &candidate : candidates)
    rows.push_back(std::move(candidate.row));
  return rows;
}

} // namespace gate
