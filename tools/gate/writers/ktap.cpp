// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// KTAP 1, flat: a gated row is a result line, its figures are diagnostics before it. What follows a
// directive is a constant text, since LAVA's parser makes it a part of the test's name.
#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/writers/writers.h"
#include "tools/gate/writers/writing.h"

namespace gate
{

// A description ends at '#'.
static std::string description(const std::string &text)
{
  std::string out = one_line(text);
  std::replace(out.begin(), out.end(), '#', '_');
  return out;
}

static const char *result_word(Outcome outcome)
{
  return outcome == Outcome::Pass || outcome == Outcome::Skip ? "ok" : "not ok";
}

static std::string directive(Outcome outcome, Verdict verdict)
{
  if (outcome == Outcome::Skip)
    return fmt::format(" # SKIP {}", to_string(verdict));
  if (outcome == Outcome::Error)
    return fmt::format(" # ERROR {}", to_string(verdict));
  return "";
}

std::string format_ktap(const Report &report)
{
  if (!report.skipped.empty())
    return "KTAP version 1\n1..0 # SKIP " + description(report.skipped) + "\n";
  size_t number = 0;
  size_t totals[4] = {};
  std::string lines;
  for (const Row &row : report.rows) {
    if (!row.gated)
      continue;
    Outcome outcome = outcome_of(row, report.policy);
    totals[static_cast<size_t>(outcome)]++;
    lines += fmt::format("# {}: {}\n{} {} {}{}\n", to_string(row.verdict), describe(row),
                         result_word(outcome), ++number, description(row_title(row)),
                         directive(outcome, row.verdict));
  }
  if (number == 0) {
    totals[static_cast<size_t>(Outcome::Error)]++;
    lines = fmt::format("not ok {} gate # ERROR nothing compared\n", ++number);
  }
  std::string text = fmt::format("KTAP version 1\n1..{}\n", number);
  for (const std::string &remark : report.remarks)
    text += "# note: " + one_line(remark) + "\n";
  return text + lines +
         fmt::format("# Totals: pass:{} fail:{} xfail:0 xpass:0 skip:{} error:{}\n", totals[0],
                     totals[1], totals[3], totals[2]);
}

} // namespace gate
