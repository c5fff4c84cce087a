// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The tables of the store, and how older stores become this one.
#pragma once

#include <string>
#include <vector>

#include "tools/gate/history/database.h"

namespace gate
{

// The version that this gate writes. It reads and migrates every older one and refuses newer ones.
constexpr int store_version = 3;

// Makes the tables or brings them to store_version, in one transaction. Throws store_error for a
// newer store and for a file that is something else.
void bring_up_to_date(const Database &database, const std::string &path);

} // namespace gate
