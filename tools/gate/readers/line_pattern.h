// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Lines of a known shape, written as the line itself with marks where it varies:
//
//   %f   a figure                    %m    a mean and its deviation, "1.5 ± 0.1"
//   %i   a number beside figures     %n    a number that nobody wants
//   %w   a word                      %:    a text up to a colon, and the colon
//   %* x all up to x, and x          %[x%] x and all that is in the brackets, where x is next
//   %%   a percent sign
//
// Blanks between words may be more or fewer than in the pattern.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gate
{

struct LineMatch {
  struct Figure {
    double value = 0;
    std::optional<double> stddev; // of %m
  };
  std::vector<Figure> figures;    // %f and %m
  std::vector<double> numbers;    // %i
  std::vector<std::string> words; // %w and %:, fit to be shown
};

// Nothing unless the pattern takes the whole line.
std::optional<LineMatch> match_line(std::string_view pattern, std::string_view line);

} // namespace gate
