// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Names for contents, in stores, caches and results.
#pragma once

#include <string>
#include <string_view>

// Of bytes, 40 lower-case hexadecimal digits: tells contents apart, is no defence against a forger.
std::string sha1_hex(std::string_view bytes);

// Of bytes, 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// Lower-case hexadecimal digits, two a byte.
std::string to_hex(std::string_view bytes);
