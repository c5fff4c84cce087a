// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Where the guests' output goes: as it comes for one guest at a time, in lines that say whose they
// are for several at once.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <string_view>

#include "tools/vmtest/boot.h"

namespace vmtest
{

class Output {
public:
  // label: before each line; empty: bytes pass as they are.
  explicit Output(std::string label) : x_label(std::move(label)) {}

  // Throws outcome_error (OutputLost) where it cannot be written.
  void command(Stream stream, std::string_view bytes);
  // Ends a line that the command has not ended.
  void finish();
  // A line of vmtest's own, to the standard error.
  void say(const std::string &line);

private:
  void write_lines(Stream stream, std::string_view bytes);

  std::string x_label;
  std::array<std::string, 2> x_partial;
};

} // namespace vmtest
