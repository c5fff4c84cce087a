// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Starts a program as a child that dies with its parent.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tools/lib/fd.h"

namespace gate
{

void make_pipe(Fd &read_end, Fd &write_end);

// Runs argv[0] (looked up on PATH where it has no slash) with these descriptors as standard
// streams, in a process group of its own, so that Ctrl-C reaches the gate alone, which then ends
// it in order. Throws std::system_error when it cannot be executed.
pid_t spawn(const std::vector<std::string> &argv, int in, int out, int err);

// "exit status 3", "signal 11 (Segmentation fault)" of what waitpid() told.
std::string describe_status(int status);

} // namespace gate
