// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/verdict.h"

#include <fmt/format.h>

#include <cmath>

namespace gate
{

static constexpr std::array<const char *, verdict_count> names = {
    "regressed", "invalid",  "missing",   "incomparable", "inconclusive",
    "waived",    "improved", "unchanged", "new"};

const char *to_string(Verdict verdict) { return names[static_cast<size_t>(verdict)]; }

static size_t of(const Counts &counts, Verdict verdict)
{
  return counts[static_cast<size_t>(verdict)];
}

void add_note(Row &row, const std::string &note)
{
  if (!note.empty())
    row.note += (row.note.empty() ? "" : "; ") + note;
}

void question_improvement(Row &row)
{
  constexpr double most = 10;
  if (row.verdict != Verdict::Improved || !row.relative || !row.change)
    return;
  double ratio = 1 + *row.change;
  if (row.better == result::Better::Higher ? ratio > most : ratio * most < 1)
    add_note(row, fmt::format("more than {:g} times better: did it run?", most));
}

void distrust_dropped(Row &row)
{
  bool open = row.verdict == Verdict::Unchanged || row.verdict == Verdict::Improved ||
              row.verdict == Verdict::Inconclusive;
  if (row.dropped.empty() || !row.gated || !open)
    return;
  row.verdict = Verdict::Invalid;
  add_note(row, row.dropped);
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
      return names[i];
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
    if (!row.gated || row.secondary || row.method.empty() || !row.relative || !row.change ||
        *row.change <= -1 || row.kind != result::Class::Time)
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
