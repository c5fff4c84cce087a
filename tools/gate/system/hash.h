// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Names for contents.
#pragma once

#include "tools/lib/hash.h"

namespace gate
{

// What stored files and the store name a content by.
inline std::string content_hash(std::string_view bytes) { return sha1_hex(bytes); }

} // namespace gate
