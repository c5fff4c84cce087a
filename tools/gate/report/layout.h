// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Columns of text.
#pragma once

#include <string>
#include <vector>

namespace gate
{

// Lines of cells, each column as wide as its widest cell and left-justified, without trailing
// blanks. All lines have as many cells as the first one. Widths are in characters of UTF-8.
std::string in_columns(const std::vector<std::vector<std::string>> &lines);

} // namespace gate
