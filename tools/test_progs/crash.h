// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a worker says when it dies: which test, which signal, and the stack.
#pragma once

#include <csignal>
#include <string>

namespace test
{

// The runner's watchdog asks for the stack with this before it kills.
constexpr int watchdog_signal = SIGQUIT;

// The name that a crash or the watchdog prints.
void set_crash_title(const std::string &title);
const char *crash_title();
// For the calling thread's stack overflow too. Call again to take the handlers back from whoever
// replaced them.
void install_crash_handlers();

} // namespace test
