// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the guest's init does with the system: file systems, modules, limits, backtraces, the end.
#pragma once

#include <string>
#include <vector>

#include "tools/lib/fd.h"

namespace vmtest::guest
{

// Mounts everything and sets the system up. Returns what the kernel has not, as
// "CONFIG_X (what for)". Throws std::runtime_error for what a run cannot do without, after /dev is
// as good as can be.
std::vector<std::string> set_up_system();

// A serial line that carries bytes as they are. Throws std::runtime_error, naming the symbol.
Fd open_serial(const char *path);

// Inserts modules in order, then waits for the virtio-serial port of this name, a second for each
// at most. The port, or one line that says why there is none.
Fd open_files_port(const std::vector<std::string> &modules, std::string &why_not);

// From here on the console shows what the kernel tells, down to the stack of a hung task, and not
// only its warnings, which is all that a boot has time for.
void show_all_messages();

// Inserts modules in order. The first that cannot be inserted and why, or nothing.
std::string insert_modules(const std::vector<std::string> &modules);

// On the console: what every CPU and every process is doing.
void show_backtraces();

// Ends all processes but this one.
void kill_all();

// Ends the machine. Never returns.
[[noreturn]] void leave();

} // namespace vmtest::guest
