// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Trends as text and JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/gate/history/trend.h"

namespace gate
{

// After against before, as a fraction; positive is a larger figure. Nothing from 0.
std::optional<double> change_of(const Trend &trend, size_t number);
// Whether that is for the worse. False for metrics without a direction.
bool is_worse(const Trend &trend, size_t number);

// "lpm-trie-update nr_entries=1000 latency"; with how it was measured, if both ways occur.
std::string trend_name(const Trend &trend);

// A table of all, and changes with the runs between which they lie.
std::string format_trends(const std::vector<Trend> &trends);

std::string trends_json(const std::vector<Trend> &trends, double alpha);

} // namespace gate
