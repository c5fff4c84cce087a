// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How counted instructions become figures: medians, what is taken off, metrics, lines, and
// injections that mean a share of the net count.
#include "tools/bench/counted.h"

#include <cmath>

#include "tools/bench/reports.h"
#include "tools/lib/bench_line.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench;

static Counted load(double raw, std::optional<double> base)
{
  Counted counted;
  counted.raw = raw;
  counted.base = base;
  counted.sample.counts.hits = 1000;
  return counted;
}

static Selected selected_with(std::shared_ptr<const Report> report)
{
  static std::vector<std::unique_ptr<Descriptor>> kept;
  kept.push_back(std::make_unique<Descriptor>(Descriptor{.name = "one", .report = report}));
  Selected selected;
  selected.descriptor = kept.back().get();
  return selected;
}

TEST(counted_median_drops_a_minority_of_interrupts)
{
  expect_eq(sum_of_medians({{100, 100, 4600, 100, 9100}, {7, 7, 7, 7, 7}}), 107.0);
  expect_eq(sum_of_medians({{100, 4600, 4700, 100, 9100}}), 4600.0);
  expect_eq(sum_of_medians({}), 0.0);
}

TEST(counted_median_is_a_repetition_that_was_seen)
{
  expect_eq(sum_of_medians({{3, 1, 2}}), 2.0);
  expect_eq(sum_of_medians({{9}}), 9.0);
}

TEST(counted_net_is_raw_less_base)
{
  expect_eq(load(604.5, 35.25).net(), 569.25);
  expect_eq(load(17, std::nullopt).net(), 17.0);
  expect_eq(median_net({load(60, 10), load(40, 10), load(45, 10)}), 35.0);
  expect_eq(median_net({load(60, 10), load(40, 10)}), 40.0);
}

TEST(counted_metrics_hold_no_time)
{
  auto metrics = counted_metrics(*ops_report(), {load(60, 10), load(61, 10)});
  expect_eq(metrics.size(), 2u);
  expect_eq(metrics[0].name, std::string("instructions"));
  expect_eq(metrics[0].unit, std::string("insns/op"));
  expect(metrics[0].gated && metrics[0].kind == result::Class::Exact &&
         metrics[0].better == result::Better::Lower);
  expect(metrics[0].samples == std::vector<std::vector<double>>{{50}, {51}});
  expect_eq(metrics[1].name, std::string("instructions_raw"));
  expect(!metrics[1].gated);
  expect(metrics[1].samples == std::vector<std::vector<double>>{{60}, {61}});
  // Its own base: the raw count is the figure, told once.
  expect_eq(counted_metrics(*ops_report(), {load(17, std::nullopt)}).size(), 1u);
}

TEST(counted_metrics_keep_memory_and_rates)
{
  Counted with_memory = load(60, 10);
  with_memory.sample.readings = {{"memory", 1.5}, {"peak_memory", 2}};
  auto memory = counted_metrics(*htab_mem_report(), {with_memory});
  expect_eq(memory.size(), 4u);
  expect_eq(memory[2].name, std::string("memory"));
  expect(memory[2].gated && memory[2].samples == std::vector<std::vector<double>>{{1.5}});
  Counted with_rate = load(60, 10);
  with_rate.sample.counts.absent = 1000;
  with_rate.sample.counts.false_hits = 80;
  auto rate = counted_metrics(*false_positive_report(), {with_rate});
  expect_eq(rate.back().name, std::string("false_positive_true"));
  expect_near(rate.back().samples[0][0], 8, 1e-12);
  for (const auto &metrics : {memory, rate})
    for (const result::Metric &metric : metrics)
      expect(metric.kind != result::Class::Time, metric.name);
}

TEST(counted_lines_say_what_was_taken_off)
{
  auto lines =
      counted_lines(selected_with(ops_report()), {load(60, 10), load(62, 10), load(61, 10)});
  expect_eq(lines.size(), 2u);
  auto summary = bench_line::parse(lines[0]);
  expect(summary && summary->instructions, lines[0]);
  expect_eq(summary->instructions->per_op, 51.0);
  expect_eq(lines[1], std::string("Instructions: 50.000 to 52.000 in 3 loads; loop and keys, "
                                  "10.000, taken off"));
  auto bare = counted_lines(selected_with(ops_report()), {load(17, std::nullopt)});
  expect_has(bare[1], "in 1 load; there is nothing to take off");
}

TEST(counted_injection_is_a_share_of_the_net_count)
{
  // 10 % of 80000 net instructions in four runs, which cost 200 each before the first spin.
  InjectionCost cost{.fixed_ns = 200, .spin_ns = 12};
  auto q20 = net_injection_q20(10, 100000, 80000, 4, cost);
  expect(q20.has_value(), "enough to inject");
  double spins = std::ldexp(static_cast<double>(*q20), -20) * 100000;
  expect_near(spins * 12 + 4 * 200, 8000, 2);
  expect(!net_injection_q20(1, 100000, 80000, 4, cost), "exactly the fixed cost");
  expect(!net_injection_q20(0.5, 100000, 80000, 4, cost), "less than that");
}
