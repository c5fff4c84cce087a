// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Where a change of instructions and events is: the functions whose cost changed between two
// results that have profiles (docs/model.md).
//
// Rule: that of exact rows (judge/exact.h), for each event of each function by itself, in events an
// op. A function that one side does not have costs nothing there.
#pragma once

#include <string>

#include "tools/lib/result.h"

namespace gate
{

// The member "functions" of docs/gate-json.md: one object for each benchmark that both sides have
// and at least one has a profile of, but those whose programs are not compared. tolerance: the
// least of all events, a fraction.
Value changed_functions(const result::Result &base, const result::Result &comp, double tolerance);

// What that says of one benchmark, in lines; of one that it does not have, that there is no
// profile.
std::string functions_text(const Value &functions, const std::string &name,
                           const Value &parameters);

} // namespace gate
