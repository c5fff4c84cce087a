// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Extended regular expressions of the user, by the C library: they are looked for in the guest,
// too, where each byte of this program counts.
#pragma once

#include <string>
#include <vector>

namespace vmtest
{

// Why it is none; empty: it is one.
std::string pattern_error(const std::string &pattern);

// Whether one of them is somewhere in text. What is no expression matches nothing.
bool matches_any(const std::vector<std::string> &patterns, const std::string &text);

} // namespace vmtest
