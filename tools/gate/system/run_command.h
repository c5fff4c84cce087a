// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One run of a command to its end: what it printed and how long it took.
#pragma once

#include <string>
#include <vector>

namespace gate
{

struct Finished {
  std::string output;     // of standard output
  std::string complaints; // the first lines of standard error, for a message
  double wall_ns = 0;     // from just before it was started until it had ended
  std::string failure;    // why nothing of it may be used; empty: it exited with 0
};

// argv[0] is looked up on PATH. Standard input is empty. The command gets a process group of its
// own, which is ended with it, after timeout_ms, or by Ctrl-C (interrupted_error). Throws
// std::system_error when it cannot be executed.
Finished run_command(const std::vector<std::string> &argv, long timeout_ms);

// Splits as a shell would: blanks, quotes and backslashes, nothing else. Throws usage_error for an
// open quote, an empty command, and for what only a shell can do (pipes, variables, ...); name: of
// the option.
std::vector<std::string> split_command(const std::string &name, const std::string &text);

} // namespace gate
