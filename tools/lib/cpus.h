// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which CPUs this process may use, and pinning a thread to one.
#pragma once

#include <string>
#include <vector>

// CPU numbers that the scheduler lets this process run on, ascending. Never empty; throws
// std::system_error where the kernel does not tell.
std::vector<int> allowed_cpus();

// Parses "0,2-4" into {0, 2, 3, 4}. Throws std::invalid_argument that names the wrong part.
std::vector<int> parse_cpu_list(const std::string &text);

// Pins the calling thread to one CPU. Throws std::system_error.
void pin_this_thread(int cpu);
