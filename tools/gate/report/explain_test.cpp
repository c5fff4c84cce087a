// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate explain: each verdict and each way of measuring in sentences, from the report alone.
#include "tools/gate/report/explain.h"

#include "tools/gate/testing/report_fixture.h"

using namespace unit_test;
using namespace gate;

static Row judged(Verdict verdict)
{
  Row row = one_row("lookup", verdict);
  row.base_loads = row.comp_loads = 20;
  row.level = .0004;
  row.tests = Tests{.p_worse = .0002,
                    .p_better = 1,
                    .p_not_worse = .9,
                    .level = .0005,
                    .proof_level = .004,
                    .family = 20};
  return row;
}

static std::string said(const Row &row)
{
  Report report = {.command = "check", .rows = {row}};
  return explain_rows(parse_report(format_json(report), "report"), "lookup");
}

static void expect_said(const Row &row, std::initializer_list<const char *> parts,
                        const std::source_location &at = std::source_location::current())
{
  std::string text = said(row);
  for (const char *part : parts)
    expect_has(text, part, at);
}

TEST(explain_regressed_tells_all_that_it_rests_on)
{
  expect_said(judged(Verdict::Regressed),
              {"lookup nr_entries=1000 latency: regressed\n", "20 pairs were measured back to back",
               "Base 100 ns/op, comp 130 ns/op.", "The change is +30.00 %",
               "an error of at most 0.0004 on either side it lies between +25.00 % and +35.00 %",
               "worse by more than the tolerance of +5.00 % (more is worse here)",
               "probability 0.0002 at most (randomisation test); allowed are 0.0005",
               "alpha of 0.01 shared among 20 rows (Holm)",
               "Nine of ten such runs would have seen a change for the worse of +6.00 %."});
}

TEST(explain_each_verdict)
{
  expect_said(judged(Verdict::Unchanged), {"proven not to be worse by +5.00 % or more",
                                           "probability 0.9 at most", "allowed are 0.004"});
  // The level of an improvement is that of its own family.
  expect_said(judged(Verdict::Improved),
              {"better by more than the tolerance of +5.00 %", "allowed are 0.0004"});
  Row open = judged(Verdict::Inconclusive);
  open.tests->units_needed = 124;
  expect_said(open, {"has p = 0.0002 and needs 0.0005", "has p = 0.9 and needs 0.004",
                     "about 124 units a side would decide"});
  expect_said(judged(Verdict::New), {"nothing to compare it with"});
  expect_said(judged(Verdict::Missing), {"What is not measured cannot pass"});
  expect_said(judged(Verdict::Invalid), {"no measurement"});
  expect_said(judged(Verdict::Incomparable), {"not the same measurement"});
  Row waived = judged(Verdict::Waived);
  waived.waived = Waived{Verdict::Regressed, "me@here", "wait for v2", "2026-12-31", .5};
  expect_said(waived, {"it is regressed, for which me@here answers until 2026-12-31: wait for v2"});
}

TEST(explain_each_way_of_measuring)
{
  Row row = judged(Verdict::Regressed);
  row.kind = result::Class::Memory;
  expect_said(row, {"exact intervals of both medians"});
  row.method = "stored";
  expect_said(row, {"measured apart: 20 loads", "exact intervals of both medians"});
  row.method = "prediction";
  expect_said(row, {"measured alone, in 20 loads", "one more run of this machine", "Student's t"});
  row.method = "exact";
  row.spread = .001;
  expect_said(row, {"It is exact", "tolerance of +5.00 %", "together by +0.10 %"});
  row = judged(Verdict::Inconclusive);
  row.method = "tail";
  row.gated = false;
  row.secondary = true;
  expect_said(row, {"slowest epoch of each of 20 fresh loads", "only with --gate-tail"});
  row.method = "ab";
  expect_said(row, {"not gated: no verdict of the run rests on it"});
  row.secondary = false;
  expect_said(row, {"lookup nr_entries=1000 latency: not gated\n", "shown for information"});
}

TEST(explain_drift_and_note)
{
  Row row = judged(Verdict::Unchanged);
  row.drift = Drift{"anchor 'v1' (run 3)", .08, .1};
  row.note = "comp slowed on purpose by 30 %";
  expect_said(row, {"Since anchor 'v1' (run 3) it has changed by +8.00 %; the budget is 10 %.",
                    "Note: comp slowed on purpose by 30 %."});
}

TEST(explain_counted_rows_tell_the_functions_once_a_benchmark)
{
  Row insns = judged(Verdict::Regressed), misses = insns;
  insns.method = misses.method = "exact";
  insns.metric = "modelled_insns";
  insns.unit = "insns/op";
  misses.metric = "modelled_l2_misses";
  misses.unit = "events/op";
  Report report = {.command = "check", .rows = {insns, misses}};
  auto said_of = [&](const std::string &wanted) {
    return explain_rows(parse_report(format_json(report), "report"), wanted);
  };
  expect_has(said_of("lookup"), "\nlookup nr_entries=1000: there is no profile of either side");
  Value events = {{"insns", {{"base", 600}, {"comp", 637}, {"change", 37}}}};
  report.functions = Value::List{
      {{"name", "lookup"},
       {"parameters", insns.parameters},
       {"missing", Value()},
       {"changed", Value::List{{{"function", "fls64"}, {"side", "both"}, {"events", events}}}}}};
  const std::string functions = "\nlookup nr_entries=1000: functions that changed, largest first:\n"
                                "  fls64 +37.0 insns/op\n";
  for (const char *wanted : {"lookup", "modelled_l2_misses"}) {
    std::string text = said_of(wanted);
    expect(text.ends_with(functions), text);
    expect_eq(text.find(functions), text.rfind(functions));
  }
  Report back = parse_report(format_json(report), "report");
  expect_eq(back.functions.dump(), report.functions.dump());
  expect_no(said(judged(Verdict::Regressed)), "profile");
}

TEST(explain_what_no_run_could_have_seen)
{
  Row row = judged(Verdict::Inconclusive);
  row.mde.reset();
  row.interval = {-std::numeric_limits<double>::infinity(), .35};
  expect_said(row, {"between anything less and +35.00 %", "could not have seen any change"});
}

TEST(explain_finds_rows_and_refuses_the_rest)
{
  Report report = all_verdicts();
  auto count = [&](const char *wanted) { return count_of(explain_rows(report, wanted), ": "); };
  expect(count("regressed") >= 1 && count("un*") >= 1);
  expect_throws([&] { explain_rows(report, "improve_"); }, "'improved'?");
  for (const char *other : {"[]", R"({"schema": "bpfgate-result"})"})
    expect_throws([&] { parse_report(other, "file"); }, "no report of gate");
}
