// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Benchmarks that have other names than in the baseline: given by the user, or hinted at.
#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/compare.h"
#include "tools/lib/text.h"

namespace gate
{

void rename_benchmarks(result::Result &base, const std::map<std::string, std::string> &renames)
{
  for (result::Benchmark &benchmark : base.benchmarks)
    if (auto renamed = renames.find(benchmark.name); renamed != renames.end())
      benchmark.name = renamed->second;
}

static void hint(Row &gone, const Row &fresh)
{
  if (gone.name == fresh.name) {
    add_note(gone, fmt::format("comp has it with other parameters: {}", fresh.parameters.dump()));
    return;
  }
  size_t longer = std::max(gone.name.size(), fresh.name.size());
  if (3 * edit_distance(gone.name, fresh.name) <= longer)
    add_note(gone, fmt::format("renamed? --rename {}={}", gone.name, fresh.name));
}

void hint_renames(std::vector<Row> &rows)
{
  // Every one that is gone is compared with every new one: of two files that have nothing in common
  // nobody wants the hints.
  constexpr size_t most_pairs = 20000;
  std::vector<Row *> gone, fresh;
  for (Row &row : rows) {
    if (row.verdict == Verdict::Missing)
      gone.push_back(&row);
    else if (row.verdict == Verdict::New)
      fresh.push_back(&row);
  }
  if (gone.size() * fresh.size() > most_pairs)
    return;
  for (Row *each : gone)
    for (const Row *other : fresh)
      if (each->metric == other->metric)
        hint(*each, *other);
}

} // namespace gate
