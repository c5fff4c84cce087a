// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the tables of power are made of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace power
{

struct Share {
  size_t hits = 0, trials = 0;
  void add(bool hit);
  void add(const Share &other);
};

// "97 %"; "-" without trials.
std::string percent(const Share &share);

// "1 of 1000 (< 0.47 %)": with the exact upper bound (Clopper-Pearson) at 95 %.
std::string rate(const Share &share);

// One line of a Markdown table.
std::string line(const std::vector<std::string> &cells);

// The titles and the line under them: the first column to the left, the others to the right.
std::string head(const std::vector<std::string> &titles);

} // namespace power
