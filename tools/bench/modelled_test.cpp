// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How many ops are modelled, and how events become lines and metrics.
#include "tools/bench/modelled.h"

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench;

static const std::vector<std::string> names = {"insns",     "loads",      "stores",
                                               "lines",     "l1d_misses", "l2_misses",
                                               "l3_misses", "tlb_misses", "mispredicted"};

static Modelled load(std::vector<double> net)
{
  Modelled made;
  made.model = "generic";
  made.names = names;
  made.net = made.raw = std::move(net);
  made.has_base = true;
  made.ops = 20000;
  made.warming_ops = 50000;
  made.interrupts = 2;
  return made;
}

static Selected selected(Descriptor descriptor)
{
  static std::vector<std::unique_ptr<Descriptor>> kept;
  kept.push_back(std::make_unique<Descriptor>(std::move(descriptor)));
  Selected made;
  made.descriptor = kept.back().get();
  for (const Option &option : made.descriptor->options)
    made.params.set(option.name, option.preset);
  return made;
}

TEST(modelled_ops_visit_all_entries_in_whole_cycles)
{
  auto with = [](uint64_t entries) {
    return selected({.options = {number("nr_entries", 1, 1 << 30, entries, "")}});
  };
  expect_eq(model_ops(selected({})), 20000u);
  expect_eq(model_ops(with(1000)), 20000u);
  expect_eq(model_ops(with(50000)), 50000u);
  expect_eq(model_ops(with(500000)), 200000u);
  expect_eq(model_ops(selected({.counted_ops = [](const Params &) { return 4; }})), 160u);
  Selected cyclic = selected({.cycle = [](const Params &) { return 3000; }});
  expect_eq(model_ops(cyclic), 21000u);
  expect_eq(model_warming_ops(cyclic), 21000u);
  expect_eq(model_warming_ops(selected({.warming_ops = 250000})), 250000u);
}

TEST(modelled_line_has_the_median_of_the_loads)
{
  auto lines = modelled_lines({load({119.4, 20, 14.6, 3.1, 2.82, 2.44, 0, 0.41, 1.18}),
                               load({100, 20, 14.6, 3.1, 2.82, 2.44, 0, 0.41, 1.18}),
                               load({130, 20, 14.6, 3.1, 2.82, 2.44, -0.001, 0.41, 1.18})});
  expect_eq(lines.at(0), "Modelled: 119.4 insns, 34.6 accesses, lines 3.1, misses L1 2.82 L2 2.44 "
                         "L3 0.00 TLB 0.41, mispredicted 1.18 per op");
  expect_eq(lines.at(1), "Model generic: 20000 ops counted in each of 3 loads, after 50000 to warm "
                         "up; loop and keys taken off; 6 interrupts left out");
  expect_eq(modelled_lines({load({1, 0, 0, 0, 0, 0, -0.001, 0, 0})}).at(0).find("-0.00"),
            std::string::npos);
}

TEST(modelled_metrics_are_one_for_each_event)
{
  auto metrics = modelled_metrics({load({119.4, 20, 14.6, 3.1, 2.82, 2.44, 0, 0.41, 1.18}),
                                   load({119.5, 20, 14.6, 3.1, 2.82, 2.44, 0, 0.41, 1.18})});
  expect_eq(metrics.size(), names.size());
  expect_eq(metrics.at(0).name, "modelled_insns");
  expect_eq(metrics.at(0).unit, "insns/op");
  expect_eq(metrics.at(4).name, "modelled_l1d_misses");
  expect_eq(metrics.at(4).unit, "events/op");
  for (const result::Metric &metric : metrics)
    expect(metric.kind == result::Class::Exact && metric.gated && metric.samples.size() == 2,
           metric.name);
  expect(modelled_metrics({}).empty() && modelled_lines({}).empty(), "where no model runs");
}

TEST(modelled_functions_have_a_figure_for_each_load)
{
  Modelled one = load({10, 0, 0, 0, 0, 0, 0, 0, 0}), two = one;
  one.functions = {{"lookup", {9.99996, 0, 0, 3, 0, 1, 0, 0, 0}},
                   {"tick", {0.004, 0, 0, 0, 0, 0, 0, 0, 0}}};
  two.functions = {{"lookup", {10, 2, 0, 3, 0, 1, 0, 0, 0}},
                   {"grow [bpf]", {.5, 0, 0, 0, 0, 0, 0, 0, 0}}};
  auto functions = modelled_functions({one, two});
  expect_eq(functions.size(), 2u); // and tick is next to nothing
  expect_eq(functions[0].name, "grow [bpf]");
  expect(functions[0].events.at("insns") == std::vector<double>{0, .5});
  expect_eq(functions[1].name, "lookup");
  expect(functions[1].events.at("insns") == std::vector<double>{10, 10}, "to a ten-thousandth");
  expect(functions[1].events.at("loads") == std::vector<double>{0, 2});
  expect_eq(functions[1].events.size(), 3u); // with l2_misses, without lines and what is 0
  expect(modelled_functions({load({}), load({})}).empty(), "without a profile");
}
