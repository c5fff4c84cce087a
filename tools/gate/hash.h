// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Names for contents.
#pragma once

#include <string>
#include <string_view>

namespace gate
{

// SHA-1 in hexadecimal: tells files apart, is no defence against a forger.
std::string content_hash(std::string_view bytes);

} // namespace gate
