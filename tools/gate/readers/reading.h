// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What gate reads, whatever wrote it (docs/formats.md): the one way from a file to results.
#pragma once

#include <string>
#include <vector>

#include "tools/lib/input.h"
#include "tools/lib/result.h"

namespace gate
{

// What is beyond these is refused by name, however long the input is: see also result.h.
constexpr size_t most_metrics = 256; // of one benchmark

struct Reading {
  result::Result result;
  std::string format;               // "result file", "log of bench", ...
  std::vector<std::string> remarks; // what a reader should know about them, one line each
};

// Nothing that gate reads, as opposed to something broken.
class unknown_input : public input_error {
public:
  using input_error::input_error;
};

// Finds out by content what the file is ("-": the standard input) and reads it. partial: keep what
// comes before the place where JSON breaks off, with a remark. Throws input_error: what is wrong
// and at which byte or line; unknown_input: what was tried.
Reading read_results(const std::string &path, bool partial = false);
Reading read_results(Input &input, bool partial = false);

} // namespace gate
