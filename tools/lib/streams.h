// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The standard streams as a parent left them: closed, or not to be waited for.
#pragma once

#include <string>
#include <string_view>

// Writes all of it; where fd is O_NONBLOCK and full, waits until there is room. Throws
// std::system_error where it cannot be written, which begins with what could not be done.
void write_all(int fd, std::string_view bytes, const std::string &what = "cannot write");

// To be called first in main(). What is closed of 0, 1 and 2 becomes /dev/null, or the next file
// that is opened would get its number. Where 1 or 2 is O_NONBLOCK, stdout or stderr waits for a
// slow reader; the flag stays, since others may share the stream. Throws std::system_error where
// /dev/null cannot be opened.
void ready_standard_streams();

// For a program that writes files as well, after ready_standard_streams(): a stdout that breaks (a
// full disk, a reader that is gone) neither ends it nor makes printing fail; SIGPIPE is ignored.
void outlive_readers();

// Of stdout since then: the error, as an errno, by which something was lost; 0: none.
int lost_output();
