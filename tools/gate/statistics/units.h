// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Units of metrics: which ones are the same quantity, and by which factor.
#pragma once

#include <optional>
#include <string>

#include "tools/lib/result.h"

namespace gate
{

// What one of `from` is in `to`: conversion("us/op", "ns/op") is 1000. The same unit is always 1,
// known or not. Nothing when the two are different quantities or one of them is unknown: a latency
// is never turned into a rate, because its direction would turn too.
std::optional<double> conversion(const std::string &from, const std::string &to);

// A figure of nanoseconds per op in that unit (a time per op or a rate); nothing for others.
std::optional<double> from_ns_per_op(double ns_per_op, const std::string &unit);

// Of the same quantity as a time, or a rate (both follow the machine): Time. Unknown for all
// others, sizes included: bytes per op are no memory of a process.
result::Class class_of(const std::string &unit);

// Whether less or more of that unit is better: times, sizes and counts per op, rates. Nothing for a
// unit that does not tell (a share, a bare number).
std::optional<result::Better> direction(const std::string &unit);

} // namespace gate
