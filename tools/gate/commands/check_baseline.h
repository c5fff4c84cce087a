// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which baseline gate check compares with, and what it expects to find.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tools/gate/history/store.h"
#include "tools/gate/judge/verdict.h"

namespace gate
{

// Of class_name, or else of a foreign class with the fewest differences; class_name becomes that
// one's. Empty without any.
Baseline choose_baseline(const Store &store, const Value &environment, std::string &class_name);

// The benchmarks, by benchmark_key(), that the same selection recorded, under their new names.
std::set<std::string> expected_keys(const Baseline &baseline,
                                    const std::vector<std::string> &selection,
                                    const std::map<std::string, std::string> &renames);

// For a row that is new: the baseline has the benchmark, but measured something else.
void hint_parameters(const Baseline &baseline, Row &row);

} // namespace gate
