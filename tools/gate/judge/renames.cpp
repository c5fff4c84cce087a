// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Benchmarks that have other names than in the baseline: given by the user, or hinted at.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "tools/gate/judge/compare.h"
#include "tools/lib/text.h"

namespace gate
{

std::optional<std::pair<std::string, std::string>> split_rename(const std::string &text)
{
  size_t equals = std::count(text.begin(), text.end(), '='), at = 0;
  for (size_t i = 0; i < (equals + 1) / 2; i++)
    at = text.find('=', i == 0 ? 0 : at + 1);
  if (equals == 0 || at == 0 || at + 1 == text.size())
    return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

void rename_benchmarks(result::Result &base, const std::map<std::string, std::string> &renames)
{
  for (result::Benchmark &benchmark : base.benchmarks)
    if (auto renamed = renames.find(benchmark.name); renamed != renames.end())
      benchmark.name = renamed->second;
}

// As one word of a shell; as it is where a shell takes it so.
static std::string shell_word(const std::string &text)
{
  if (std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
      }))
    return text;
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The nearest three; of the same name, those with other parameters.
static void add_hint(Row &gone, const std::vector<Row *> &fresh)
{
  constexpr size_t most_hints = 3;
  std::vector<std::pair<size_t, const Row *>> near;
  for (const Row *row : fresh) {
    if (gone.metric != row->metric)
      continue;
    size_t longer = std::max(gone.name.size(), row->name.size());
    size_t distance = gone.name == row->name ? 0 : edit_distance(gone.name, row->name);
    if (3 * distance <= longer)
      near.emplace_back(distance, row);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  for (size_t i = 0; i < std::min(near.size(), most_hints); i++) {
    const Row &row = *near[i].second;
    std::string rename = gone.name + "=" + row.name;
    if (near[i].first != 0 && split_rename(rename) != std::pair(gone.name, row.name))
      continue;
    add_note(gone, near[i].first == 0
                       ? fmt::format("comp has it with other parameters: {}", row.parameters.dump())
                       : fmt::format("renamed? --rename {}", shell_word(rename)));
  }
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
    add_hint(*each, fresh);
}

} // namespace gate
