// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Numbers in names (input_7) are kinds of input that public bug reports on comparers tell of.
#include "tools/gate/judge/compare.h"

#include <algorithm>
#include <limits>

#include "tools/gate/testing/test_results.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::Better;
using result::Class;
using result::Metric;
using result::Result;
using result::Status;

static const double not_a_number = std::numeric_limits<double>::quiet_NaN();

static std::vector<Row> compared(const Result &base, const Result &comp,
                                 const Settings &settings = {})
{
  std::vector<Candidate> candidates = match_rows(base, comp, settings);
  judge(candidates, settings.alpha, settings.alpha);
  return rows_of(std::move(candidates));
}

static Row only_row(const std::vector<Row> &rows)
{
  expect_eq(rows.size(), 1u);
  return rows[0];
}

static void expect_verdict(const Row &row, Verdict verdict, const std::string &note = "",
                           const std::source_location &at = std::source_location::current())
{
  expect(row.verdict == verdict, fmt::format("{}: {}", to_string(row.verdict), row.note), at);
  expect_has(row.note, note, at);
}

static int code(const std::vector<Row> &rows, Policy policy = {})
{
  return exit_code(count_verdicts(rows), policy);
}

static Row compare_metric(Metric metric, std::vector<std::vector<double>> base,
                          std::vector<std::vector<double>> comp)
{
  metric.gated = true;
  metric.samples = std::move(base);
  Result first = one_result({one_benchmark("b", metric)});
  metric.samples = std::move(comp);
  return only_row(compared(first, one_result({one_benchmark("b", metric)})));
}

TEST(compare_same_slower_faster)
{
  std::vector<Row> rows =
      compared(time_result(loads_around(100)), time_result(loads_around(100, 20, .01, 2)));
  expect_verdict(only_row(rows), Verdict::Unchanged);
  expect_eq(code(rows), 0);
  rows = compared(time_result(loads_around(100)), time_result(loads_around(130)));
  expect_verdict(only_row(rows), Verdict::Regressed);
  expect_near(*rows[0].change, .3, .01);
  expect(rows[0].interval->low > .25 && rows[0].interval->high < .35);
  expect(*rows[0].mde > .05 && *rows[0].mde < .09);
  expect_eq(code(rows), 1);
  rows = compared(time_result(loads_around(130)), time_result(loads_around(100)));
  expect_verdict(only_row(rows), Verdict::Improved);
  expect_eq(code(rows), 0);
}

TEST(compare_noise_is_inconclusive_and_says_how_many_more)
{
  std::vector<Row> rows =
      compared(time_result(loads_around(100, 20, .2)), time_result(loads_around(112, 20, .2, 2)));
  expect_verdict(only_row(rows), Verdict::Inconclusive, "about ");
  expect_eq(code(rows), 0);
  expect_eq(code(rows, {.strict = true}), 3);
}

TEST(compare_input_1_only_in_baseline)
{
  Result base = one_result({one_benchmark("a", time_metric(loads_around(5))),
                            one_benchmark("b", time_metric(loads_around(7)))});
  Result comp = one_result({one_benchmark("a", time_metric(loads_around(5)))});
  std::vector<Row> rows = compared(base, comp);
  expect_eq(rows.size(), 2u);
  expect_verdict(rows[1], Verdict::Missing);
  expect_near(*rows[1].base, 7, .1);
  expect_eq(code(rows), 3);
  Settings others_not_expected;
  others_not_expected.expected.emplace();
  expect_eq(compared(base, comp, others_not_expected).size(), 1u);
}

TEST(compare_input_2_only_in_candidate)
{
  Result base = one_result({one_benchmark("a", time_metric(loads_around(5)))});
  Result comp = one_result({one_benchmark("a", time_metric(loads_around(5))),
                            one_benchmark("b", time_metric(loads_around(7)))});
  std::vector<Row> rows = compared(base, comp);
  expect_verdict(rows[1], Verdict::New, "no baseline");
  expect_eq(code(rows), 0);
  rows = compared(one_result({}), comp);
  expect_eq(code(rows), 3); // nothing was compared
}

TEST(compare_input_3_geometric_mean_of_the_intersection)
{
  Result base = one_result({one_benchmark("a", time_metric(loads_around(100, 20, 0))),
                            one_benchmark("gone", time_metric(loads_around(1)))});
  Metric rate = {.name = "rate", .unit = "M ops/s", .better = Better::Higher, .gated = true};
  rate.samples = loads_around(10, 20, 0);
  base.benchmarks.push_back(one_benchmark("r", rate));
  rate.samples = loads_around(5, 20, 0);
  Result comp =
      one_result({one_benchmark("a", time_metric(loads_around(200, 20, 0))),
                  one_benchmark("fresh", time_metric(loads_around(1))), one_benchmark("r", rate)});
  size_t used = 0;
  expect_near(*geometric_mean(compared(base, comp), used), 1.0, 1e-9);
  expect_eq(used, 2u);
  expect(!geometric_mean({}, used));
  // Survivors are no figure of the whole.
  comp.benchmarks[0].dropped = 1;
  expect_near(*geometric_mean(compared(base, comp), used), 1.0, 1e-9);
  expect_eq(used, 2u); // regressed, for all that
  std::swap(base, comp);
  expect_near(*geometric_mean(compared(base, comp), used), -.5, 1e-9);
  expect_eq(used, 1u);
}

TEST(compare_thresholds_of_a_row)
{
  Metric memory = {.name = "memory", .unit = "MiB", .kind = Class::Memory};
  Metric drops = {.name = "drops", .unit = "%", .kind = Class::Ratio};
  memory.gated = drops.gated = true;
  memory.samples = loads_around(100, 20, 0);
  drops.samples = loads_around(2, 20, 0);
  Result base = time_result(loads_around(100));
  base.benchmarks[0].metrics.insert(base.benchmarks[0].metrics.end(), {memory, drops});
  Result comp = time_result(loads_around(115));
  memory.samples = loads_around(115, 20, 0);
  drops.samples = loads_around(5, 20, 0);
  comp.benchmarks[0].metrics.insert(comp.benchmarks[0].metrics.end(), {memory, drops});
  for (const Row &row : compared(base, comp))
    expect_verdict(row, Verdict::Regressed);
  Settings settings;
  settings.thresholds = {{"*", "", .01, "f:1:1"},
                         {"look*", "", .2, "f:4:1"},
                         {"look", "", .01, "f:7:1"},
                         {"lookup", "memory", .1, "f:9:1"}};
  std::vector<Row> rows = compared(base, comp, settings);
  expect_verdict(rows[0], Verdict::Unchanged, "tolerance 20 %, f:4:1");
  expect_near(rows[0].tolerance, .2, 1e-9);
  expect_verdict(rows[1], Verdict::Regressed, "tolerance 10 %, f:9:1");
  expect_verdict(rows[2], Verdict::Unchanged, "f:4:1");
  expect_near(rows[2].tolerance, 20, 1e-9); // points
}

TEST(compare_input_4_identical_samples)
{
  Row row = only_row(
      compared(time_result(loads_around(78.8, 20, 0)), time_result(loads_around(115, 20, 0))));
  expect_verdict(row, Verdict::Regressed);
  row = only_row(
      compared(time_result(loads_around(78.8, 20, 0)), time_result(loads_around(78.8, 20, 0))));
  expect_verdict(row, Verdict::Unchanged);
  expect_eq(*row.change, 0.0);
  row = only_row(
      compared(time_result(loads_around(78.8, 5, 0)), time_result(loads_around(115, 5, 0))));
  expect_verdict(row, Verdict::Inconclusive, "needs 8 loads a side, has 5");
}

TEST(compare_input_5_zero_and_zero)
{
  for (Class kind : {Class::Exact, Class::Memory, Class::Ratio}) {
    Row row =
        compare_metric({.name = "m", .unit = "x", .kind = kind}, loads_around(0), loads_around(0));
    expect_verdict(row, Verdict::Unchanged);
    expect_eq(*row.change, 0.0);
  }
}

TEST(compare_input_6_from_zero)
{
  Metric drops = {.name = "drops", .unit = "drops", .kind = Class::Exact};
  Row row = compare_metric(drops, loads_around(0), loads_around(3, 20, 0));
  expect_verdict(row, Verdict::Regressed);
  expect(!row.relative && *row.change == 3);
  Metric memory = {.name = "memory", .unit = "MiB", .kind = Class::Memory};
  expect_verdict(compare_metric(memory, loads_around(0), loads_around(0.3)), Verdict::Unchanged);
  expect_verdict(compare_metric(memory, loads_around(0), loads_around(5)), Verdict::Regressed);
}

TEST(compare_input_7_collapse_to_zero)
{
  expect_verdict(compare_metric({.name = "m", .unit = "n", .kind = Class::Exact},
                                loads_around(3069448, 20, 0), loads_around(0)),
                 Verdict::Invalid, "collapsed");
  expect_verdict(only_row(compared(time_result(loads_around(5)), time_result(loads_around(0)))),
                 Verdict::Invalid, "comp: every sample is zero");
  expect_verdict(compare_metric({.name = "m", .unit = "%", .kind = Class::Ratio}, loads_around(7.6),
                                loads_around(0)),
                 Verdict::Improved);
}

TEST(compare_input_9_units_are_converted)
{
  Result base = time_result(loads_around(900)), comp = time_result(loads_around(1.1));
  comp.benchmarks[0].metrics[0].unit = "us/op";
  Row row = only_row(compared(base, comp));
  expect_verdict(row, Verdict::Regressed);
  expect_near(*row.comp, 1100, 20);
  comp.benchmarks[0].metrics[0].unit = "furlongs";
  expect_verdict(only_row(compared(base, comp)), Verdict::Incomparable, "ns/op against furlongs");
}

TEST(compare_input_10_direction_is_that_of_the_metric)
{
  Metric rate = {.name = "throughput", .unit = "M ops/s", .better = Better::Higher};
  Row slower = compare_metric(rate, loads_around(10), loads_around(7));
  expect_verdict(slower, Verdict::Regressed);
  expect_near(*slower.change, -.3, .02);
  expect(slower.interval->low < -.25 && slower.interval->high > -.35);
  expect_verdict(compare_metric(rate, loads_around(7), loads_around(10)), Verdict::Improved);
  rate.better = Better::None;
  Row shown = compare_metric(rate, loads_around(10), loads_around(7));
  expect(!shown.gated && shown.change);
}

TEST(compare_input_11_nan_samples_are_dropped_and_counted)
{
  auto samples = loads_around(100);
  samples[3] = {not_a_number};
  samples.push_back({100});
  Row row = only_row(compared(time_result(loads_around(100)), time_result(samples)));
  expect_verdict(row, Verdict::Invalid, "comp: 1 of 21");
  // The rest is kept, and proves a regression.
  for (auto &load : samples)
    load[0] *= 2;
  expect_verdict(only_row(compared(time_result(loads_around(100)), time_result(samples))),
                 Verdict::Regressed, "comp: 1 of 21 samples unusable");
  row = only_row(compared(time_result(loads_around(100)), time_result(loads_around(not_a_number))));
  expect_verdict(row, Verdict::Invalid, "no sample is a number");
  row = only_row(compared(time_result(loads_around(-1)), time_result(loads_around(1))));
  expect_verdict(row, Verdict::Invalid, "base: negative sample");
}

TEST(compare_input_14_one_sample)
{
  expect_verdict(only_row(compared(time_result({{100}}), time_result({{300}}))),
                 Verdict::Inconclusive, "needs 8 loads a side, has 1");
  Metric exact = {.name = "insns", .unit = "insns", .kind = Class::Exact};
  expect_verdict(compare_metric(exact, {{100}}, {{101}}), Verdict::Regressed);
  expect_verdict(compare_metric(exact, {{100}}, {{100}}), Verdict::Unchanged);
  expect_verdict(compare_metric(exact, {{100}}, {{99}}), Verdict::Improved);
}

TEST(compare_input_15_different_numbers_of_loads)
{
  Row row =
      only_row(compared(time_result(loads_around(100, 21)), time_result(loads_around(130, 35))));
  expect_verdict(row, Verdict::Regressed);
  expect_eq(row.base_loads, 21u);
  expect_eq(row.comp_loads, 35u);
  Settings strict = {.alpha = 1e-9};
  row = only_row(compared(time_result(loads_around(100)), time_result(loads_around(300)), strict));
  expect_verdict(row, Verdict::Inconclusive, "needs 31 loads a side, has 20");
}

TEST(compare_few_loads_of_many_rows_tell_what_the_family_takes)
{
  result::Result base = time_result(loads_around(78.8, 5, 0)), comp = base;
  for (int i = 1; i < 30; i++) {
    base.benchmarks.push_back(base.benchmarks[0]);
    base.benchmarks.back().name = fmt::format("lookup-{}", i);
  }
  comp.benchmarks = base.benchmarks;
  for (const Row &row : compared(base, comp))
    expect_verdict(row, Verdict::Inconclusive,
                   "needs 8 loads a side (13 to be found worse among 30 rows), has 5");
}

TEST(compare_samples_of_one_load_are_not_independent)
{
  std::vector<std::vector<double>> base(1), comp(1);
  for (int i = 0; i < 1000; i++) {
    base[0].push_back(100 + i % 3);
    comp[0].push_back(150 + i % 3);
  }
  expect_verdict(only_row(compared(time_result(base), time_result(comp))), Verdict::Inconclusive);
}

TEST(compare_input_17_zero_times)
{
  auto samples = loads_around(100);
  samples[0] = {0};
  expect_verdict(only_row(compared(time_result(loads_around(100)), time_result(samples))),
                 Verdict::Invalid, "1 of 20 samples unusable");
  for (int i = 0; i < 10; i++)
    samples[i] = {0};
  expect_verdict(only_row(compared(time_result(loads_around(100)), time_result(samples))),
                 Verdict::Invalid, "clock is too coarse");
}

TEST(compare_input_17_pair_of_a_zero_is_dropped)
{
  auto samples = loads_around(100, 21);
  samples[4] = {0};
  Result base = time_result(loads_around(100, 21)), comp = time_result(samples);
  Settings settings = {.paired = true};
  std::vector<bool> &second = settings.comp_second[result::benchmark_key(base.benchmarks[0])];
  for (int i = 0; i < 21; i++)
    second.push_back(i % 2);
  Row row = only_row(compared(base, comp, settings));
  expect_verdict(row, Verdict::Unchanged, "comp: 1 of 21 samples unusable");
  expect_eq(row.base_loads, 20u);
}

TEST(compare_input_21_renames_are_hinted_never_guessed)
{
  Result base = time_result(loads_around(100)), comp = time_result(loads_around(100));
  comp.benchmarks[0].name = "lookups";
  std::vector<Row> rows = compared(base, comp);
  hint_renames(rows);
  expect_eq(rows.size(), 2u);
  expect_verdict(rows[0], Verdict::New);
  expect_verdict(rows[1], Verdict::Missing, "--rename lookup=lookups");
  expect_eq(code(rows), 3);
  rename_benchmarks(base, {{"lookup", "lookups"}});
  expect_verdict(only_row(compared(base, comp)), Verdict::Unchanged);
}

TEST(compare_input_22_other_definition)
{
  Result base = time_result(loads_around(100)), comp = time_result(loads_around(300));
  comp.benchmarks[0].definition = 2;
  std::vector<Row> rows = compared(base, comp);
  expect_verdict(only_row(rows), Verdict::Incomparable, "definition 1 against 2");
  expect_eq(code(rows), 3);
}

TEST(compare_input_23_other_machine)
{
  Settings settings = {.incomparable = "cpu_model: A against B"};
  std::vector<Row> rows =
      compared(time_result(loads_around(100)), time_result(loads_around(300)), settings);
  expect_verdict(only_row(rows), Verdict::Incomparable, "cpu_model");
  expect_eq(code(rows), 3);
}

TEST(compare_advice_does_not_fail)
{
  std::vector<Row> rows = compared(time_result(loads_around(100)), time_result(loads_around(300)));
  expect_eq(code(rows, {.advisory = true}), 0);
}

TEST(compare_input_27_counter_that_could_not_be_read)
{
  Metric insns = {.name = "insns", .unit = "insns", .kind = Class::Exact, .gated = true};
  Result base = one_result({one_benchmark("b", insns)});
  Metric time = time_metric(loads_around(10));
  base.benchmarks[0].metrics.push_back(time);
  std::vector<Row> rows = compared(base, base);
  expect(!rows[0].gated, "no figures on both sides are no row");
  expect_verdict(rows[1], Verdict::Unchanged);
  expect_eq(code(rows), 0);
}

TEST(compare_input_28_metric_gone)
{
  Result base = time_result(loads_around(100)), comp = time_result(loads_around(100));
  base.benchmarks[0].metrics.push_back(
      {.name = "misses", .unit = "n", .kind = Class::Exact, .gated = true, .samples = {{5}}});
  std::vector<Row> rows = compared(base, comp);
  expect_verdict(rows[1], Verdict::Missing, "comp (bench 0.1.0) has no such metric");
  comp.benchmarks[0].metrics.push_back(base.benchmarks[0].metrics[1]);
  comp.benchmarks[0].metrics[1].samples.clear();
  comp.benchmarks[0].metrics[1].reason = "no PMU";
  expect_verdict(compared(base, comp)[1], Verdict::Missing, "no PMU");
}

TEST(compare_input_29_host_shift)
{
  std::vector<result::Benchmark> base, comp;
  for (int i = 0; i < 6; i++) {
    std::string name = i == 5 ? "anchor-alu" : fmt::format("b{}", i);
    base.push_back(one_benchmark(name, time_metric(loads_around(100))));
    comp.push_back(one_benchmark(name, time_metric(loads_around(i ? 112 : 100))));
  }
  std::vector<Row> rows = compared(one_result(base), one_result(comp));
  expect_eq(code(rows), 1);
  expect_has(find_host_shift(rows), "4 of 5 times got worse: what they run on changed");
  expect_verdict(rows[0], Verdict::Unchanged);
  expect_verdict(rows[1], Verdict::Incomparable, "host shift");
  expect_eq(code(rows), 3);
  // Without an anchor that most moved says nothing: a patch may slow most of them.
  comp.pop_back();
  base.pop_back();
  rows = compared(one_result(base), one_result(comp));
  expect_eq(find_host_shift(rows), std::string());
  expect_eq(code(rows), 1);
}

// A small map: the absolute slack decides, and the row says so.
TEST(compare_memory_tells_the_slack_that_decided)
{
  auto memory = [](double mib) {
    result::Metric metric = {.name = "memory",
                             .unit = "MiB",
                             .kind = Class::Memory,
                             .gated = true,
                             .samples = std::vector(20, std::vector{mib})};
    return one_result({one_benchmark("b", metric)});
  };
  Row row = compared(memory(1), memory(1.3))[0];
  expect_verdict(row, Verdict::Unchanged, "0.5 MiB are allowed");
  expect_near(row.tolerance, .5, 1e-12);
  row = compared(memory(100), memory(105))[0];
  expect(row.note.empty(), row.note);
  expect_near(row.tolerance, .1, 1e-12);
}

TEST(compare_input_32_nothing_compared_is_no_success)
{
  std::vector<Row> rows = compared(one_result({}), one_result({}));
  expect_eq(code(rows), 3);
  expect_eq(overall(count_verdicts(rows)), std::string("nothing"));
}

TEST(compare_input_41_failed_now)
{
  Result base = time_result(loads_around(100)), comp = base;
  comp.benchmarks[0].status = Status::Failed;
  comp.benchmarks[0].reason = "verifier: too complex";
  comp.benchmarks[0].metrics.clear();
  std::vector<Row> rows = compared(base, comp);
  expect_verdict(only_row(rows), Verdict::Invalid, "verifier: too complex");
  expect_eq(code(rows), 3);
  comp.benchmarks[0].status = Status::Skipped;
  expect_verdict(only_row(compared(base, comp)), Verdict::Missing, "skipped: ");
  rows = compared(comp, base);
  expect_verdict(only_row(rows), Verdict::New, "no baseline: it skipped");
  rows = compared(comp, comp);
  expect(!only_row(rows).gated);
  expect_eq(code(rows), 3);
  comp.benchmarks[0].status = Status::Failed;
  expect_verdict(only_row(compared(comp, comp)), Verdict::Invalid);
}

TEST(compare_interrupted_run_is_not_judged)
{
  Result base = time_result(loads_around(100)), comp = time_result(loads_around(300));
  comp.benchmarks[0].status = Status::Interrupted;
  expect_verdict(only_row(compared(base, comp)), Verdict::Inconclusive, "interrupted");
}

TEST(compare_input_45_improvement_never_fails)
{
  std::vector<Row> rows = compared(time_result(loads_around(100)), time_result(loads_around(80)));
  expect_verdict(only_row(rows), Verdict::Improved);
  expect_eq(code(rows, {.strict = true}), 0);
}

TEST(compare_input_51_each_benchmark_has_its_own_noise)
{
  Result base = one_result({one_benchmark("noisy", time_metric(loads_around(15, 20, .1))),
                            one_benchmark("sharp", time_metric(loads_around(900, 20, .001)))});
  std::vector<Row> rows = compared(base, base);
  expect(*rows[0].mde > 2 * *rows[1].mde, "the smallest effect does not tell the noise");
}

TEST(compare_memory_needs_both_limits)
{
  Metric memory = {.name = "memory", .unit = "MiB", .kind = Class::Memory};
  auto verdict = [&](double base, double comp) {
    return compare_metric(memory, loads_around(base, 20, .001), loads_around(comp, 20, .001))
        .verdict;
  };
  expect(verdict(1, 1.3) == Verdict::Unchanged, "30 %, but only 0.3 MiB");
  expect(verdict(100, 105) == Verdict::Unchanged, "5 MiB, but only 5 %");
  expect(verdict(100, 120) == Verdict::Regressed, "20 MiB, 20 %");
  expect(verdict(120, 100) == Verdict::Improved, "120 to 100");
}

TEST(compare_ratio_is_in_points)
{
  Metric ratio = {.name = "false_positives", .unit = "%", .kind = Class::Ratio};
  Row row = compare_metric(ratio, loads_around(0.1, 20, .01), loads_around(0.3, 20, .01));
  expect_verdict(row, Verdict::Unchanged);
  expect_near(*row.change, .2, .01);
  row = compare_metric(ratio, loads_around(7.6, 20, .01), loads_around(8.4, 20, .01));
  expect_verdict(row, Verdict::Regressed);
}

TEST(compare_exact_metric_that_varies)
{
  Metric exact = {.name = "insns", .unit = "insns", .kind = Class::Exact};
  expect_verdict(compare_metric(exact, {{216}, {221}}, {{221}, {216}}), Verdict::Unchanged,
                 "varies");
  expect_verdict(compare_metric(exact, {{216}, {221}}, {{222}, {224}}), Verdict::Regressed,
                 "varies");
}

TEST(compare_ungated_rows_are_shown_and_not_counted)
{
  Result base = time_result(loads_around(100)), comp = time_result(loads_around(100));
  for (Result *side : {&base, &comp}) {
    result::Metric extra = time_metric(loads_around(side == &base ? 1 : 9));
    extra.name = "extra";
    extra.gated = false;
    side->benchmarks[0].metrics.push_back(extra);
  }
  std::vector<Row> rows = compared(base, comp);
  expect_eq(rows.size(), 2u);
  expect(!rows[1].gated && rows[1].change);
  expect_eq(code(rows), 0);
}

TEST(compare_is_invariant_to_order_unit_and_scale)
{
  std::vector<result::Benchmark> base, comp;
  for (int i = 0; i < 4; i++) {
    std::string name = fmt::format("b{}", i);
    base.push_back(one_benchmark(name, time_metric(loads_around(100, 25, .03, i))));
    comp.push_back(one_benchmark(name, time_metric(loads_around(100 + 4 * i, 25, .03, 10 + i))));
  }
  std::vector<Row> rows = compared(one_result(base), one_result(comp));
  std::reverse(base.begin(), base.end());
  for (result::Benchmark &benchmark : comp) {
    benchmark.metrics[0].unit = "us/op";
    for (auto &load : benchmark.metrics[0].samples)
      load[0] /= 1000;
  }
  std::vector<Row> again = compared(one_result(base), one_result(comp));
  for (int i = 0; i < 4; i++) {
    expect_eq(again[i].name, rows[i].name);
    expect(again[i].verdict == rows[i].verdict);
    expect_near(*again[i].change, *rows[i].change, 1e-9);
    expect_near(again[i].interval->low, rows[i].interval->low, 1e-9);
  }
}
