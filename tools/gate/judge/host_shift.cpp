// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Rows that moved since the host did: docs/statistics/host.md.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tools/gate/judge/compare.h"
#include "tools/gate/judge/fingerprint.h"

namespace gate
{

static bool is_worse(const Row &row)
{
  return row.better == result::Better::Higher ? *row.change < 0 : *row.change > 0;
}

static bool is_anchor(const Row &row) { return row.name.starts_with("anchor-"); }

static bool concerns_host(const Row &row)
{
  return row.gated && !row.secondary && !row.method.empty() && row.kind == result::Class::Time &&
         row.change;
}

static bool moved(const Row &row, bool worse)
{
  return concerns_host(row) && is_worse(row) == worse &&
         (row.verdict == Verdict::Regressed || row.verdict == Verdict::Improved);
}

// A change as a factor, above 1 when it is for the worse, or for the better.
static double factor(const Row &row, double change, bool worse)
{
  bool grew = worse == (row.better != result::Better::Higher);
  return grew ? 1 + change : 1 / (1 + change);
}

// What the row moved by at least.
static double least_factor(const Row &row, bool worse)
{
  return std::min(factor(row, row.interval->low, worse), factor(row, row.interval->high, worse));
}

// How far the anchor that moved most did, of those that were measured apart; 1 without any.
static double anchor_factor(const std::vector<Row> &rows, bool worse)
{
  double most = 1;
  for (const Row &row : rows)
    if (concerns_host(row) && is_anchor(row) && row.method == "stored")
      most = std::max(most, factor(row, *row.change, worse));
  return most;
}

static size_t call_incomparable(std::vector<Row> &rows,
                                const std::function<bool(const Row &)> &which)
{
  size_t count = 0;
  for (Row &row : rows)
    if (which(row)) {
      found(row, "host-shift", "host shift");
      count++;
    }
  return count;
}

// Sides that were measured apart: what is within the tolerance once the anchor's move is taken off
// is no proof of a change of code.
static std::string discount_anchor(std::vector<Row> &rows, bool worse)
{
  double by = anchor_factor(rows, worse);
  if (by <= 1)
    return "";
  size_t count = call_incomparable(rows, [&](const Row &row) {
    return moved(row, worse) && row.method == "stored" && row.interval &&
           least_factor(row, worse) <= (1 + row.tolerance) * by;
  });
  return count ? fmt::format(
                     "an anchor got {:.1f} % {}, which no patch can do; moved no further than that "
                     "and the tolerance: {}",
                     100 * (by - 1), worse ? "slower" : "faster", count)
               : "";
}

std::string find_host_shift(std::vector<Row> &rows)
{
  size_t times = 0;
  bool apart = false;
  for (const Row &row : rows)
    if (concerns_host(row)) {
      times += !is_anchor(row);
      apart |= row.method != "ab";
    }
  std::vector<std::string> reasons;
  for (bool worse : {true, false}) {
    size_t count = 0;
    bool anchor = false;
    for (const Row &row : rows)
      if (moved(row, worse) && is_anchor(row))
        anchor = true;
      else if (moved(row, worse))
        count++;
    // docs/measurements.md: of ten runs of the same code, measured apart, 12 of 90 pairs alarmed
    // without this rule. Sides that were measured in turns had the same host.
    if (apart && anchor) {
      call_incomparable(rows, [&](const Row &row) { return moved(row, worse); });
      reasons.push_back(
          fmt::format("an anchor moved, which no patch can move, and {} of {} times {}: what they "
                      "run on changed, not each of them",
                      count, times, worse ? "got worse" : "got better"));
    } else if (std::string reason = discount_anchor(rows, worse); !reason.empty()) {
      reasons.push_back(reason);
    }
  }
  if (reasons.empty())
    return "";
  return joined(reasons) + (apart ? " (measure again, or use gate check)" : "");
}

} // namespace gate
