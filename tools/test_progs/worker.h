// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The life of one worker process: one test, from fork to exit.
#pragma once

#include "tools/test_progs/context.h"

namespace test
{

// Runs test in this freshly forked process and exits. Its stdout and stderr become log_fd, its
// records go to record_fd. alone: no other test runs beside it, so that what changed in the whole
// system may be put down to it.
[[noreturn]] void run_worker(const TestInfo &test, const Settings &settings, int record_fd,
                             int log_fd, bool alone) noexcept;

} // namespace test
