// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Names for contents in caches and results.
#pragma once

#include <string>
#include <string_view>

namespace vmtest
{

// Of bytes, 64 hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// Lower-case hexadecimal digits, two a byte.
std::string to_hex(std::string_view bytes);

} // namespace vmtest
