// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/commands/check_baseline.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/judge/fingerprint.h"

namespace gate
{

using result::Benchmark;

Baseline choose_baseline(const Store &store, const Value &environment, std::string &class_name)
{
  Baseline chosen = store.read(class_name);
  if (!chosen.recordings.empty())
    return chosen;
  size_t fewest = SIZE_MAX;
  for (const std::string &name : store.classes()) {
    Baseline baseline = store.read(name);
    if (baseline.recordings.empty())
      continue;
    const Value &other = baseline.recordings.back().result.environment;
    size_t count = compare_environments(other, environment).refused.size();
    if (count < fewest) {
      chosen = std::move(baseline);
      class_name = name;
    }
    fewest = std::min(fewest, count);
  }
  return chosen;
}

std::set<std::string> expected_keys(const Baseline &baseline,
                                    const std::vector<std::string> &selection,
                                    const std::map<std::string, std::string> &renames)
{
  std::set<std::string> keys;
  auto selected = baseline.selections.find(selection);
  if (selected == baseline.selections.end())
    return keys;
  for (const Recording &recording : baseline.recordings)
    for (Benchmark benchmark : recording.result.benchmarks) {
      if (!selected->second.count(result::benchmark_key(benchmark)))
        continue;
      if (auto renamed = renames.find(benchmark.name); renamed != renames.end())
        benchmark.name = renamed->second;
      keys.insert(result::benchmark_key(benchmark));
    }
  return keys;
}

void hint_parameters(const Baseline &baseline, Row &row)
{
  if (row.verdict != Verdict::New)
    return;
  for (const Recording &recording : baseline.recordings)
    for (const Benchmark &benchmark : recording.result.benchmarks) {
      std::vector<std::string> differences;
      for (const auto &[name, value] : benchmark.parameters.items())
        if (!row.parameters.contains(name) || row.parameters[name] != value)
          differences.push_back(fmt::format("{}={}", name, value.dump()));
      if (benchmark.name == row.name && !differences.empty())
        return add_note(row, "the baseline has it with " + joined(differences));
    }
}

} // namespace gate
