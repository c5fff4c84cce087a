// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The two halves of one text, as commit messages and mails have them: figures before and after.
#pragma once

#include <array>
#include <string>

#include "tools/gate/readers/reading.h"

namespace gate
{

// names: what the headings of the two sections say, whatever is around it: "before" is found as
// "Before:", "# before", "== Before ==" and "Before this patch". Throws input_error where one of
// them is not there or is there twice, and as read_results().
std::array<Reading, 2> read_sections(const std::string &path,
                                     const std::array<std::string, 2> &names);
std::array<Reading, 2> read_sections(Input &input, const std::array<std::string, 2> &names);

} // namespace gate
