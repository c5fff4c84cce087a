// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Rows as people write them: NAME, then any PARAMETER=VALUE that narrows it, then a metric:
// "lpm-trie-lookup nr_entries=1000 latency".
#pragma once

#include <string>

#include "tools/lib/result.h"

namespace gate
{

// Whether a row is meant by text. Without a metric every metric is.
bool row_matches(const std::string &text, const std::string &name, const Value &parameters,
                 const std::string &metric);

// All of a row: every parameter, and the metric.
std::string row_text(const std::string &name, const Value &parameters, const std::string &metric);

} // namespace gate
