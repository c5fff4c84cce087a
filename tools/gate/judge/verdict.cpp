// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gate
{

static size_t of(const Counts &counts, Verdict verdict)
{
  return counts[static_cast<size_t>(verdict)];
}

static void add_reason(Row &row, Reason reason)
{
  row.reasons.push_back(std::move(reason));
  row.verdict = decide(row.reasons);
  if (row.verdict != Verdict::Waived)
    row.waived.reset();
  row.note.clear();
  for (const Reason &each : row.reasons)
    if (!each.text.empty() && (each.applied || !each.cause))
      row.note += (row.note.empty() ? "" : "; ") + each.text;
}

void found(Row &row, Cause cause, const std::string &text) { add_reason(row, {cause, text}); }

void found_better(Row &row)
{
  constexpr double most = 10;
  found(row, "better");
  double ratio = 1 + row.change.value_or(0);
  if (row.relative && (row.better == result::Better::Higher ? ratio > most : ratio * most < 1))
    found(row, "tenfold", fmt::format("more than {:g} times better: did it run?", most));
}

bool has_cause(const Row &row, Cause cause)
{
  return std::any_of(row.reasons.begin(), row.reasons.end(), [&](const Reason &reason) {
    return reason.cause && reason.cause->place() == cause.place();
  });
}

void add_note(Row &row, const std::string &note)
{
  if (!note.empty())
    add_reason(row, {std::nullopt, note});
}

bool could_judge(const std::vector<Row> &rows)
{
  for (const Row &row : rows)
    if (row.gated && (row.verdict != Verdict::Inconclusive || row.tests))
      return true;
  return false;
}

Counts count_verdicts(const std::vector<Row> &rows)
{
  Counts counts = {};
  for (const Row &row : rows)
    counts[static_cast<size_t>(row.verdict)] += row.gated;
  return counts;
}

int exit_code(const Counts &counts, const Policy &policy)
{
  if (of(counts, Verdict::Regressed) && !policy.advisory)
    return Exit::Regression;
  size_t compared = of(counts, Verdict::Regressed) + of(counts, Verdict::Improved) +
                    of(counts, Verdict::Unchanged) + of(counts, Verdict::Inconclusive) +
                    of(counts, Verdict::Waived);
  // What is not known to be good is no good commit.
  bool incomplete = of(counts, Verdict::Invalid) || of(counts, Verdict::Missing) ||
                    of(counts, Verdict::Incomparable) || compared == 0 || policy.unjudged ||
                    ((policy.strict || policy.bisect) && of(counts, Verdict::Inconclusive));
  if (policy.bisect && (incomplete || policy.advisory))
    return Exit::Untestable;
  return incomplete ? Exit::Incomplete : Exit::Passed;
}

std::string overall(const Counts &counts)
{
  for (size_t i = 0; i < verdict_count; i++)
    if (counts[i])
      return to_string(static_cast<Verdict>(i));
  return "nothing";
}

std::string machine_line(const std::string &verdict, const Counts &counts, double alpha)
{
  std::string line = "gate: verdict=" + verdict;
  for (Verdict each :
       {Verdict::Regressed, Verdict::Improved, Verdict::Unchanged, Verdict::Inconclusive,
        Verdict::New, Verdict::Missing, Verdict::Invalid, Verdict::Incomparable, Verdict::Waived})
    line += fmt::format(" {}={}", to_string(each), of(counts, each));
  return line + fmt::format(" alpha={}", alpha);
}

std::optional<double> geometric_mean(const std::vector<Row> &rows, size_t &used)
{
  double sum = 0;
  used = 0;
  for (const Row &row : rows) {
    if (!row.gated || row.secondary || row.verdict == Verdict::Invalid || row.method.empty() ||
        !row.relative || !row.change || *row.change <= -1 || row.kind != result::Class::Time)
      continue;
    double log_change = std::log1p(*row.change);
    sum += row.better == result::Better::Higher ? -log_change : log_change;
    used++;
  }
  if (used == 0)
    return std::nullopt;
  return std::expm1(sum / used);
}

} // namespace gate
