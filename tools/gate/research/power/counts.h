// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// power counts: what one boot under icount finds of slowdowns, judged by gate's exact rule against
// a baseline of several boots.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace power
{

struct CountOptions {
  std::string vmtest, bench; // paths of executables
  std::vector<std::string> kernels;
  std::vector<std::string> bench_arguments;
  std::vector<double> effects = {.005}; // fractions
  size_t baseline = 5;                  // boots that base is made of
  size_t boots = 10;                    // comparisons of each kernel and effect, one boot each
  size_t jobs = 1;                      // guests at a time
};

// Prints a Markdown table: for each kernel and effect how many rows of how many were called slower.
// Returns the exit code. Throws what gate::count_instructions() throws.
int print_counts(const CountOptions &options);

} // namespace power
