// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Bytes packed by Zstandard (RFC 8878), one frame that tells its size.
#pragma once

#include <string>
#include <string_view>

namespace gate
{

// Throws std::runtime_error where the library fails, which is for lack of memory only.
std::string pack(std::string_view bytes);
// Throws std::runtime_error for what is no whole frame, or unpacks to more than limit bytes.
std::string unpack(std::string_view packed, size_t limit);

} // namespace gate
