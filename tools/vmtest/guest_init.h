// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// vmtest as the guest's /init.
#pragma once

namespace vmtest
{

// Whether this process is the init of a guest that vmtest has booted.
bool is_guest_init(const char *argv0);

// Sets the guest up, runs the command, sends the result, ends the machine. Never returns.
[[noreturn]] void run_guest_init();

} // namespace vmtest
