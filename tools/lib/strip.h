// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Programs without their debug information, which neither a guest nor the store of gate has a use
// for and which is nine tenths of what a developer builds.
#pragma once

#include <string>
#include <string_view>

// A 64-bit little-endian ELF without its .debug sections; symbols stay, for backtraces and uprobes.
// What has none, is no such ELF or is not whole comes back as it is.
std::string without_debug(std::string_view elf);
