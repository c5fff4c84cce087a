// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The order of precedence: what holds for all combinations of causes, however they were found.
#include "tools/gate/judge/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tools/gate/judge/verdict.h"
#include "tools/lib/unit_test.h"

using namespace gate;
using unit_test::expect;
using unit_test::expect_eq;

static constexpr size_t rule_count = std::size(rules);

// Bit i: rules[i] was found.
static std::vector<Reason> reasons_of(uint32_t bits)
{
  std::vector<Reason> reasons;
  for (size_t i = 0; i < rule_count; i++)
    if (bits >> i & 1)
      reasons.push_back({Cause::at(i), rules[i].cause});
  return reasons;
}

static bool found_any(uint32_t bits, std::initializer_list<const char *> causes)
{
  return std::any_of(causes.begin(), causes.end(), [&](const char *cause) {
    for (size_t i = 0; i < rule_count; i++)
      if (!strcmp(rules[i].cause, cause))
        return (bits >> i & 1) != 0;
    throw std::logic_error(fmt::format("no rule '{}'", cause));
  });
}

static void check_combination(uint32_t bits)
{
  std::vector<Reason> reasons = reasons_of(bits);
  Verdict verdict = decide(reasons);
  std::string shown = fmt::format("{:#x}: {}", bits, to_string(verdict));
  bool passes = verdict == Verdict::Unchanged || verdict == Verdict::Improved;
  bool compared =
      !found_any(bits, {"interrupted", "no-figures", "no-baseline", "not-measured", "other-kind",
                        "other-machine", "base-failed", "bad-figures", "failed", "refused"});
  expect(!passes || compared, "passed without a comparison: " + shown);
  expect(!passes || !found_any(bits, {"dropped", "few-loads", "drift", "drift-unknown"}),
         "passed though it is not known to be good: " + shown);
  expect(verdict != Verdict::Unchanged || found_any(bits, {"not-worse"}), "no proof: " + shown);
  expect(verdict != Verdict::Improved || found_any(bits, {"better"}), "no proof: " + shown);
  bool regressed = verdict == Verdict::Regressed;
  expect(!regressed || found_any(bits, {"worse", "refused", "drift"}), "no proof: " + shown);
  bool doubted = found_any(bits, {"same-code", "one-look", "host-shift", "null-arm", "few-loads"});
  expect(!regressed || !doubted || found_any(bits, {"refused", "drift"}), "doubted: " + shown);
  expect(!found_any(bits, {"drift"}) || regressed, "beyond the budget: " + shown);
  bool bad = found_any(bits, {"worse", "refused", "not-measured"});
  expect(verdict != Verdict::Waived || (bad && found_any(bits, {"waived"})), "waived: " + shown);
  // A row that is not inconclusive has a reason that made it so.
  bool told = std::any_of(reasons.begin(), reasons.end(), [&](const Reason &reason) {
    return reason.applied && reason.cause->rule().verdict == verdict;
  });
  expect(told || verdict == Verdict::Inconclusive, "no reason: " + shown);
}

// All pairs and triples, and draws of any number.
TEST(decision_holds_for_all_combinations)
{
  check_combination(0);
  for (size_t i = 0; i < rule_count; i++)
    for (size_t k = 0; k <= i; k++)
      for (size_t m = 0; m <= k; m++)
        check_combination(1U << i | 1U << k | 1U << m);
  std::mt19937 random(1);
  for (int i = 0; i < 200000; i++)
    check_combination(random() & ((1U << rule_count) - 1));
}

TEST(decision_does_not_depend_on_the_order_of_finding)
{
  std::mt19937 random(2);
  for (int i = 0; i < 20000; i++) {
    std::vector<Reason> reasons = reasons_of(random() & random() & ((1U << rule_count) - 1));
    Verdict verdict = decide(reasons);
    std::shuffle(reasons.begin(), reasons.end(), random);
    expect_eq(to_string(decide(reasons)), to_string(verdict));
  }
}

TEST(decision_of_a_row_follows_each_cause)
{
  Row row = {.name = "a", .metric = "latency"};
  expect_eq(std::string(to_string(row.verdict)), "inconclusive");
  add_note(row, "slowed on purpose");
  found(row, "waived", "waived by me");
  expect_eq(row.note, "slowed on purpose");
  found(row, "worse");
  expect_eq(std::string(to_string(row.verdict)), "waived");
  expect_eq(row.note, "slowed on purpose; waived by me");
  row.waived = Waived{.owner = "me"};
  found(row, "drift", "too far");
  expect_eq(std::string(to_string(row.verdict)), "regressed");
  expect(!row.waived.has_value());
  expect_eq(row.note, "slowed on purpose; waived by me; too far");
}
