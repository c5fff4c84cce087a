// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Columns of text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gate
{

// Lines of cells, each column as wide as its widest cell, without trailing blanks. All lines have
// as many cells as the first one. Columns are left-justified, from first_right on all but the last
// one are right-justified. Widths are in characters of UTF-8. notes: of each line, told below it.
std::string in_columns(const std::vector<std::vector<std::string>> &lines,
                       size_t first_right = SIZE_MAX, const std::vector<std::string> &notes = {});

} // namespace gate
