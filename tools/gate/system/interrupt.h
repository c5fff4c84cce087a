// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Ctrl-C and its relatives become an exception at the next wait, so that children are ended and
// nothing half done is stored.
#pragma once

#include <poll.h>

#include <csignal>
#include <cstddef>
#include <ctime>
#include <stdexcept>

namespace gate
{

struct interrupted_error : std::runtime_error {
  interrupted_error() : std::runtime_error("interrupted") {}
};

// Holds SIGINT, SIGTERM and SIGHUP back, except inside wait_any(); ignores SIGPIPE. Once.
void catch_interrupts();

// In a child before exec: signals as they were before catch_interrupts().
void restore_signals();

// poll() that a signal ends. Returns how many of the descriptors are ready. Throws
// interrupted_error.
int wait_any(pollfd *wanted, size_t count, long timeout_ms);

// Waits until fd can be read or has ended. False: not within timeout_ms. Throws interrupted_error.
bool wait_readable(int fd, long timeout_ms);

// Throws interrupted_error if a signal came since catch_interrupts().
void check_interrupts();

} // namespace gate
