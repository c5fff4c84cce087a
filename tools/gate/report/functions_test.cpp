// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which functions changed, by the rule of exact rows, and how that is said.
#include "tools/gate/report/functions.h"

#include "tools/gate/testing/test_results.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::Function;
using result::Result;

namespace
{

Result profiled(std::vector<Function> functions)
{
  Result result = time_result({{100}});
  result.benchmarks[0].functions = std::move(functions);
  return result;
}

std::string said(const Result &base, const Result &comp, double tolerance = 0)
{
  return functions_text(changed_functions(base, comp, tolerance), "lookup", Value::object());
}

} // namespace

TEST(functions_that_changed_come_largest_first)
{
  Result base = profiled({{"fls64", {{"insns", {12, 12}}}},
                          {"same", {{"insns", {700, 700}}}},
                          {"trie_lookup_elem", {{"insns", {600, 600}}, {"l2_misses", {1, 1}}}}});
  Result comp =
      profiled({{"helper [bpf]", {{"insns", {3, 3}}}},
                {"same", {{"insns", {700, 700}}}},
                {"trie_lookup_elem", {{"insns", {637, 637}}, {"l2_misses", {1.4, 1.4}}}}});
  expect_eq(said(base, comp), "functions that changed, largest first:\n"
                              "  trie_lookup_elem +37.0 insns/op, +0.40 L2 misses/op\n"
                              "  fls64 gone: -12.0 insns/op\n"
                              "  helper [bpf] new: +3.0 insns/op\n");
  Value all = changed_functions(base, comp, 0);
  const Value &figures = all.items_of_list().at(0).at("changed").items_of_list().at(0);
  expect_eq(figures.dump(), R"({"function":"trie_lookup_elem","side":"both","events":{)"
                            R"("insns":{"base":600.0,"comp":637.0,"change":37.0},)"
                            R"("l2_misses":{"base":1.0,"comp":1.4,"change":0.3999999999999999}}})");
}

TEST(functions_moved_instructions_are_told_on_both_sides)
{
  Result base = profiled({{"left", {{"insns", {45}}}}, {"right", {{"insns", {5}}}}});
  Result comp = profiled({{"left", {{"insns", {25}}}}, {"right", {{"insns", {25}}}}});
  expect_eq(said(base, comp), "functions that changed, largest first:\n"
                              "  left -20.0 insns/op\n  right +20.0 insns/op\n");
}

TEST(functions_within_tolerance_and_spread_did_not_change)
{
  const char *none = "no function changed by more than its tolerance\n";
  Result base = profiled({{"a", {{"insns", {100}}, {"l2_misses", {2}}}}});
  expect_eq(said(base, base), none);
  expect_eq(said(base, profiled({{"a", {{"insns", {100.04}}, {"l2_misses", {2.09}}}}})), none);
  expect_has(said(base, profiled({{"a", {{"insns", {100.06}}, {"l2_misses", {2}}}}})), "a +0.1");
  expect_eq(said(base, profiled({{"a", {{"insns", {101}}, {"l2_misses", {2}}}}}), .02), none);
  // Loads that differ by more among themselves than from those of base.
  expect_eq(said(base, profiled({{"a", {{"insns", {100, 101, 104}}, {"l2_misses", {2}}}}})), none);
  expect_eq(said(base, profiled({{"a", base.benchmarks[0].functions[0].events},
                                 {"seldom", {{"insns", {0, 0, .02}}}}})),
            none);
}

TEST(functions_without_a_profile_are_not_compared)
{
  Result with = profiled({{"a", {{"insns", {100}}}}}), without = profiled({});
  expect_eq(said(with, without), "there is no profile of comp, so functions are not compared\n");
  expect_eq(said(without, with), "there is no profile of base, so functions are not compared\n");
  expect_has(said(without, without), "no profile of either side");
  expect(changed_functions(without, without, 0).empty());
}

TEST(functions_of_what_is_not_compared_are_not_either)
{
  Result base = profiled({{"a", {{"insns", {100}}}}}), comp = profiled({{"a", {{"insns", {9}}}}});
  comp.benchmarks[0].definition = 2;
  expect(changed_functions(base, comp, 0).empty(), "another definition");
  comp.benchmarks[0].definition = 1;
  comp.benchmarks[0].parameters["n"] = 1;
  expect(changed_functions(base, comp, 0).empty(), "another benchmark");
}

// A report may be anybody's.
TEST(functions_of_a_report_that_is_not_ours)
{
  for (const Value &functions : {Value(), Value("x"), Value(Value::List{1, "x"})})
    expect_has(functions_text(functions, "lookup", Value::object()), "no profile of either side");
  Value odd = Value::List{{{"name", "lookup"},
                           {"parameters", Value::object()},
                           {"changed", Value::List{1, {{"function", "a"}, {"events", 3}}}}}};
  expect_eq(functions_text(odd, "lookup", Value::object()),
            "functions that changed, largest first:\n  \n  a\n");
}
