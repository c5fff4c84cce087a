// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// KTAP 1, flat: a gated row is a result line, its figures are diagnostics before it. What follows a
// directive is a constant text, since LAVA's parser makes it a part of the test's name.
#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/report/writers/writers.h"
#include "tools/gate/report/writing.h"

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
  if (verdict == Verdict::Waived)
    return " # XFAIL waived"; // with "ok", as the kernel's own tests print it
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
  size_t totals[4] = {}, waived = 0;
  std::string lines;
  for (const Row &row : report.rows) {
    if (!row.gated)
      continue;
    Outcome outcome = outcome_of(row, report);
    totals[static_cast<size_t>(outcome)]++;
    waived += row.verdict == Verdict::Waived;
    lines += fmt::format("# {}: {}\n{} {} {}{}\n", to_string(row.verdict), describe(row),
                         result_word(outcome), ++number, description(row_title(row)),
                         directive(outcome, row.verdict));
  }
  if (std::string error = run_error(report); !error.empty()) {
    totals[static_cast<size_t>(Outcome::Error)]++;
    lines += fmt::format("# {}\nnot ok {} gate # ERROR\n", error, ++number);
  }
  std::string text = fmt::format("KTAP version 1\n1..{}\n", number);
  for (const std::string &remark : report.remarks)
    text += "# note: " + one_line(remark) + "\n";
  return text + lines +
         fmt::format("# Totals: pass:{} fail:{} xfail:{} xpass:0 skip:{} error:{}\n", totals[0],
                     totals[1], waived, totals[3] - waived, totals[2]);
}

} // namespace gate
