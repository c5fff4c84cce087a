// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A file that is written whole or not at all.
#pragma once

#include <string>
#include <string_view>

// Writes text to path: a temporary file beside it, fsync, rename. A reader sees the old file or
// the new one; after an error (no space, no permission) the old one is untouched and nothing is
// left over. A symbolic link is followed. What is there and no regular file (a pipe, /dev/null) is
// written to directly. "-" is the standard output. Throws std::system_error that names path.
// mode: of a new file, before the umask; an existing file keeps its own.
void write_file(const std::string &path, std::string_view text, unsigned mode = 0666);

// Throws as write_file() would where path cannot be written, and leaves it as it is: to know before
// long work, not after it.
void check_writable(const std::string &path);

// The whole of a file. Throws std::system_error, or std::runtime_error for more than limit bytes.
std::string read_file(const std::string &path, size_t limit = 256u << 20);
