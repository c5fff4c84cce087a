// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/drift.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "tools/gate/judge/row_name.h"

namespace gate
{

static std::string shown(const Row &row, double change)
{
  return row.relative ? fmt::format("{:+.1f} %", 100 * change)
                      : fmt::format("{:+.4g} {}", change, row.unit);
}

// Nothing is known of how far it drifted, so that it passes for no reason of its own.
static void call_unknown(Row &row, const std::string &anchor, const std::string &why)
{
  if (!row.method.empty())
    found(row, "drift-unknown", fmt::format("drift since {} is not known: {}", anchor, why));
}

static bool within_budget(const Row &since)
{
  return since.verdict == Verdict::Unchanged || since.verdict == Verdict::Improved;
}

static void take_over(Row &row, const Row &since, const std::string &anchor, double budget)
{
  if (since.change && !since.method.empty())
    row.drift = Drift{anchor, *since.change, budget};
  if (since.verdict != Verdict::Regressed || !row.drift) {
    if (!within_budget(since))
      call_unknown(row, anchor,
                   fmt::format("{}{}", to_string(since.verdict),
                               since.note.empty() ? "" : fmt::format(" ({})", since.note)));
    return;
  }
  found(row, "drift",
        fmt::format("drift: {} since {}, beyond the budget", shown(since, *since.change), anchor));
}

// How many rows there is a statement about, and the one that moved furthest for the worse.
static std::string summary(const std::vector<Row> &rows, const std::string &anchor, double budget)
{
  size_t count = 0;
  const Row *furthest = nullptr;
  auto worse = [](const Row &row) {
    return row.better == result::Better::Higher ? -row.drift->change : row.drift->change;
  };
  for (const Row &row : rows) {
    if (!row.drift || !row.relative)
      continue;
    count++;
    if (!furthest || worse(row) > worse(*furthest))
      furthest = &row;
  }
  if (!furthest)
    return fmt::format("no row can be compared with {}", anchor);
  return fmt::format("since {}: {} rows, most for the worse {} {} (budget {:g} %)", anchor, count,
                     furthest->name, shown(*furthest, furthest->drift->change), 100 * budget);
}

std::string add_drift(std::vector<Row> &rows, const std::vector<Row> &since,
                      const std::string &anchor, double budget)
{
  std::map<std::string, const Row *> then;
  for (const Row &row : since)
    then[row_text(row.name, row.parameters, row.metric)] = &row;
  for (Row &row : rows) {
    if (!row.gated)
      continue;
    auto other = then.find(row_text(row.name, row.parameters, row.metric));
    if (other == then.end())
      call_unknown(row, anchor, "the anchor has no such row");
    else
      take_over(row, *other->second, anchor, budget);
  }
  return summary(rows, anchor, budget);
}

} // namespace gate
