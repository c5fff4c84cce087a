// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Programs without their debug information, which a guest has no use for and which is nine tenths
// of what a developer builds.
#pragma once

#include <string>
#include <string_view>

namespace vmtest
{

// A 64-bit little-endian ELF without its .debug sections; symbols stay, for backtraces and uprobes.
// What is no such ELF, or not whole, comes back as it is.
std::string without_debug(std::string_view elf);

} // namespace vmtest
