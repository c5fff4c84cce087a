// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the gate says: a row with its verdict, the counts, and the exit code they make.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tools/gate/judge/decision.h"
#include "tools/lib/result.h"

namespace gate
{

struct Interval {
  double low = 0; // may be -inf
  double high = 0;
};

// What the tests of a row said.
struct Tests {
  double p_worse = 1, p_better = 1, p_not_worse = 1;
  double level = 0;                   // at which p_worse would have been a regression
  double proof_level = 0;             // at which p_not_worse would have been a proof of "unchanged"
  size_t family = 0;                  // rows that share the error rate
  std::optional<size_t> units_needed; // nothing: no affordable number would decide
};

// Who answers for a row that regressed, until when, and what its verdict would be.
struct Waived {
  Verdict verdict = Verdict::Regressed;
  std::string owner;
  std::string reason;
  std::string until; // the last day that it holds, 2026-12-31 (UTC)
  double bound = 0;  // on the scale of Row::change
};

// How far a row has moved since a release anchor (drift.h), on the scale of Row::change.
struct Drift {
  std::string anchor;
  double change = 0;
  double budget = 0; // that is allowed, a fraction
};

struct Row {
  std::string name;
  Value parameters = Value::object();
  std::string metric;
  std::string unit;
  result::Better better = result::Better::Lower;
  result::Class kind = result::Class::Time;
  // Not gated: shown, never counted, and judged only if secondary.
  bool gated = true;
  bool secondary = false; // the tail of epochs: a family of its own

  std::vector<Reason> reasons;             // found() adds them
  Verdict verdict = Verdict::Inconclusive; // decide() of the reasons
  std::string note;                        // the texts of those that applied, and remarks; one line

  std::optional<double> base; // medians over loads, in unit
  std::optional<double> comp;
  // comp against base: a fraction where relative, otherwise a difference in unit (ratios: points).
  bool relative = true;
  std::optional<double> change;
  std::optional<Interval> interval;
  std::optional<double> mde;    // smallest change for the worse that 90 % of such runs would detect
  double tolerance = 0;         // on the scale of change
  std::optional<double> spread; // of exact rows: of both sides' loads, on the scale of change
  double level = 0;             // one-sided level of either end of the interval
  size_t base_loads = 0;
  size_t comp_loads = 0;
  // The figure of each load, in unit, in the order of measuring; NaN: this load has none. For "ab"
  // the same place on both sides is one pair.
  std::vector<double> base_samples;
  std::vector<double> comp_samples;
  std::string method; // "ab", "tail", "stored", "prediction", "exact", or empty: not compared
  std::optional<Tests> tests; // only where there were some
  bool same_bytecode = true;
  std::optional<Waived> waived; // with Verdict::Waived
  std::optional<Drift> drift;   // where there is an anchor that has this row
};

// Adds a cause, and decides anew.
void found(Row &row, Cause cause, const std::string &text = "");

// "better", and "tenfold" where the change is to less than a tenth of the time, or more than ten
// times the rate: work that is no longer done looks like one.
void found_better(Row &row);

bool has_cause(const Row &row, Cause cause);

// Adds a remark that decides nothing; an empty one is none.
void add_note(Row &row, const std::string &note);

// Whether any gated row got a verdict by a rule, or by a test that enough loads had.
bool could_judge(const std::vector<Row> &rows);

using Counts = std::array<size_t, verdict_count>; // by Verdict, gated rows only

Counts count_verdicts(const std::vector<Row> &rows);

enum Exit {
  Passed = 0,
  Regression = 1,
  Usage = 2,
  Incomplete = 3,
  Skipped = 4,
  Untestable = 125, // git bisect run: tells nothing about this commit
  Interrupted = 130
};

struct Policy {
  bool strict = false;   // inconclusive counts as incomplete
  bool advisory = false; // foreign machine: a regression is told, not failed on
  bool unjudged = false; // no row had enough loads for any verdict (could_judge)
  bool bisect = false;   // exit 0, 1 or 125, as git bisect run wants
};

int exit_code(const Counts &counts, const Policy &policy);

// "regressed", ..., or "nothing" when no row was gated.
std::string overall(const Counts &counts);

// The one stable line for machines. verdict: overall(), or "skipped".
std::string machine_line(const std::string &verdict, const Counts &counts, double alpha);

// Geometric mean of comp / base over the rows of class time that both sides have and that are not
// invalid, as a fraction of change for the worse; nothing when there is none. used: how many rows
// went in.
std::optional<double> geometric_mean(const std::vector<Row> &rows, size_t &used);

} // namespace gate
