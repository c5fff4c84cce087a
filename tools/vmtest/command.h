// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A program that is run to its end, with what it wrote.
#pragma once

#include <string>
#include <vector>

namespace vmtest
{

struct CommandResult {
  int status = 0; // exit status; 128 + number when a signal ended it
  std::string out, err;
};

// arguments[0] is looked up in PATH. Standard input is empty, the language C, and the program dies
// with us; a signal that has a handler here ends it too. Throws std::system_error where it cannot
// be executed (ENOENT: it is not there).
CommandResult run_command(const std::vector<std::string> &arguments);

} // namespace vmtest
