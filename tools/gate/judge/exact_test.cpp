// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The rule of exact metrics on made-up loads, and what decides whether counts are compared at all.
#include "tools/gate/judge/exact.h"

#include <random>

#include "tools/gate/judge/bytecode.h"
#include "tools/gate/judge/compare.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::Benchmark;
using result::Class;
using result::Metric;
using result::Result;

namespace
{

using Loads = std::vector<std::vector<double>>;

Result counted(Loads loads, const std::string &bytecode = "a1", const std::string &clang = "19.1.7")
{
  Result result = one_result({one_benchmark("lookup", {.name = "instructions",
                                                       .unit = count_unit,
                                                       .kind = Class::Exact,
                                                       .gated = true,
                                                       .samples = std::move(loads)})});
  result.benchmarks[0].bytecode = bytecode;
  result.environment["accelerator"] = "icount";
  if (!clang.empty())
    result.environment["toolchain"] = {{"bpf_clang", clang}};
  return result;
}

Row row_of(const Result &base, const Result &comp, Settings settings = {.counted = true})
{
  std::vector<Row> rows = rows_of(match_rows(base, comp, settings));
  expect_eq(rows.size(), 1u);
  return rows[0];
}

void expect_verdict(const Row &row, Verdict wanted, const std::string &note = "",
                    const std::source_location &at = std::source_location::current())
{
  expect_eq(std::string(to_string(row.verdict)), to_string(wanted), at);
  expect_has(row.note, note, at);
}

} // namespace

TEST(exact_change_against_floor)
{
  Result base = counted({{1000}, {1000}, {1000}});
  expect_verdict(row_of(base, counted({{1002}, {1002}, {1002}})), Verdict::Unchanged);
  expect_verdict(row_of(base, counted({{1003}, {1003}, {1003}})), Verdict::Regressed);
  expect_verdict(row_of(base, counted({{997}, {997}, {997}})), Verdict::Improved);
  Row row = row_of(base, counted({{1010}, {1010}, {1010}}));
  expect_near(*row.change, .01, 1e-12);
  expect_eq(row.tolerance, default_count_tolerance);
  expect_eq(*row.spread, 0);
  expect_eq(row.method, "exact");
  Settings tight = {.count_tolerance = 0, .counted = true};
  expect_verdict(row_of(base, counted({{1001}, {1001}, {1001}}), tight), Verdict::Regressed);
}

TEST(exact_spread_of_both_sides_is_tolerated)
{
  Result base = counted({{1000}, {1010}, {990}, {1000}, {1000}});
  Row row = row_of(base, counted({{1015}, {1015}, {1020}, {1010}, {1015}}));
  expect_verdict(row, Verdict::Unchanged, "varies by itself by 1.5 %, which is the tolerance");
  expect_near(row.tolerance, .015, 1e-12);
  expect_verdict(row_of(base, counted({{1016}, {1016}, {1021}, {1011}, {1016}})),
                 Verdict::Regressed);
}

TEST(exact_load_is_the_median_of_its_samples)
{
  Row row = row_of(counted({{100, 100, 107}, {100, 101, 100}}), counted({{100, 93, 100}, {100}}));
  expect_verdict(row, Verdict::Unchanged);
  expect_eq(*row.change, 0);
  expect_eq(row.base_loads, 2u);
}

TEST(exact_false_alarms_of_five_loads)
{
  std::mt19937_64 random(1);
  auto distributions = {
      std::function<double()>([&] { return random() % 2 ? 100.0 : 101.0; }),
      std::function<double()>([&] { return 100 + static_cast<double>(random() >> 11) / 0x1p53; })};
  for (const auto &draw : distributions) {
    size_t alarms = 0;
    constexpr size_t rounds = 20000;
    for (size_t i = 0; i < rounds; i++) {
      std::vector<double> base(5), comp(5);
      std::generate(base.begin(), base.end(), draw);
      std::generate(comp.begin(), comp.end(), draw);
      Exact exact = judge_exact(base, comp, 0, true);
      alarms += exact.change > exact.tolerance;
    }
    // 3 of 1000, as exact.h says; 1 of 1000 more for this many rounds.
    expect(alarms <= rounds * 4 / 1000, fmt::format("{} alarms", alarms));
  }
}

TEST(exact_rule_judges_all_metrics_where_instructions_are_counted)
{
  auto compare = [](Class kind, const char *unit, Loads one, Loads other) {
    Result base = counted(std::move(one)), comp = counted(std::move(other));
    for (Result *side : {&base, &comp}) {
      side->benchmarks[0].metrics[0].kind = kind;
      side->benchmarks[0].metrics[0].unit = unit;
    }
    return row_of(base, comp);
  };
  // Both 10 % and 0.5 MiB.
  expect_verdict(compare(Class::Memory, "MiB", {{1}, {1}}, {{1.4}, {1.4}}), Verdict::Unchanged);
  expect_verdict(compare(Class::Memory, "MiB", {{1}, {1}}, {{1.6}, {1.6}}), Verdict::Regressed);
  expect_verdict(compare(Class::Memory, "MiB", {{9}, {9}}, {{9.8}, {9.8}}), Verdict::Unchanged);
  expect_verdict(compare(Class::Ratio, "%", {{5}, {5}}, {{5.4}, {5.4}}), Verdict::Unchanged);
  expect_verdict(compare(Class::Ratio, "%", {{5}, {5}}, {{5.6}, {5.6}}), Verdict::Regressed);
}

namespace
{

Row event_row(const std::string &event, Loads base, Loads comp)
{
  Result sides[] = {counted(std::move(base)), counted(std::move(comp))};
  for (Result &side : sides) {
    Metric &metric = side.benchmarks[0].metrics[0];
    metric.name = "modelled_" + event;
    metric.unit = event == "insns" ? count_unit : event_unit;
    metric.may_be_zero = event != "insns";
  }
  return row_of(sides[0], sides[1]);
}

} // namespace

TEST(exact_events_have_floors_of_their_own)
{
  auto verdict = [](const char *event, double base, double comp) {
    return event_row(event, {{base}, {base}}, {{comp}, {comp}}).verdict;
  };
  for (auto [event, relative] :
       {std::pair{"branches", .002}, {"insns", .002}, {"l1d_misses", .03}, {"l2_misses", .05}}) {
    expect(verdict(event, 100, 100 * (1 + .9 * relative)) == Verdict::Unchanged, event);
    expect(verdict(event, 100, 100 * (1 + 1.1 * relative)) == Verdict::Regressed, event);
    expect(verdict(event, 100, 100 * (1 - 1.1 * relative)) == Verdict::Improved, event);
  }
}

// A tenth more of next to nothing is next to nothing.
TEST(exact_few_events_are_compared_by_their_difference)
{
  double floor = event_floor("modelled_l2_misses", 0).absolute;
  auto row = [](double base, double comp) {
    return event_row("l2_misses", {{base}, {base}}, {{comp}, {comp}});
  };
  expect(row(0, .9 * floor).verdict == Verdict::Unchanged, "from 0");
  expect(row(0, 1.1 * floor).verdict == Verdict::Regressed, "from 0");
  expect(row(.5 * floor, 1.4 * floor).verdict == Verdict::Unchanged, "180 % more");
  expect(row(2 * floor, 2.9 * floor).verdict == Verdict::Unchanged, "45 % more");
  expect(row(2 * floor, 3.1 * floor).verdict == Verdict::Regressed, "55 % more");
  expect(row(2 * floor, 0).verdict == Verdict::Improved, "none left");
  expect(row(-.001, .002).verdict == Verdict::Unchanged, "net of a base that had more");
}

TEST(exact_tolerance_of_counts_raises_that_of_events)
{
  Result base = counted({{10}}), comp = counted({{10.8}});
  for (Result *side : {&base, &comp}) {
    side->benchmarks[0].metrics[0].name = "modelled_l2_misses";
    side->benchmarks[0].metrics[0].unit = event_unit;
  }
  expect_verdict(row_of(base, comp), Verdict::Regressed);
  expect_verdict(row_of(base, comp, {.count_tolerance = .1, .counted = true}), Verdict::Unchanged);
  expect_verdict(row_of(base, comp, {.count_tolerance = 0, .counted = true}), Verdict::Regressed);
}

TEST(exact_time_is_never_compared_with_instructions)
{
  Result base = counted({{100}}), comp = counted({{100}});
  comp.benchmarks[0].metrics[0].unit = "ns/op";
  expect_verdict(row_of(base, comp), Verdict::Incomparable, "unit insns/op against ns/op");
}

TEST(exact_same_bytecode_of_two_compilers)
{
  expect_verdict(row_of(counted({{100}}, "a1", "14.0.6"), counted({{102}}, "a1", "19.1.7")),
                 Verdict::Regressed);
}

TEST(exact_other_bytecode_of_one_compiler)
{
  Row row = row_of(counted({{100}}, "a1"), counted({{102}}, "b2"));
  expect_verdict(row, Verdict::Regressed, "the BPF program is another one (a1 against b2)");
  expect(!row.same_bytecode);
}

TEST(exact_other_bytecode_of_another_compiler)
{
  expect_verdict(row_of(counted({{100}}, "a1", "14.0.6"), counted({{102}}, "b2", "19.1.7")),
                 Verdict::Incomparable,
                 "compiled to other BPF instructions by clang 19.1.7 than by clang 14.0.6");
  for (auto [one, other] : {std::pair{"", "19.1.7"}, {"14.0.6", ""}, {"", ""}})
    expect_verdict(row_of(counted({{100}}, "a1", one), counted({{100}}, "b2", other)),
                   Verdict::Incomparable, "an unknown compiler");
}

TEST(exact_bytecode_of_what_is_taken_off_counts_too)
{
  Result base = counted({{100}}, "a1", "14.0.6"), comp = counted({{100}}, "a1", "19.1.7");
  comp.benchmarks[0].base_bytecode = "c3";
  expect_verdict(row_of(base, comp), Verdict::Incomparable, "meson -Dbpf-clang=");
}
