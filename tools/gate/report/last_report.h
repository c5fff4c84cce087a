// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The report of the last check or ab, kept in the store for gate explain. In a directory of its
// own: what ends with .json beside gate.db is taken for a baseline of version 1.
#pragma once

#include <string>

namespace gate
{

inline std::string last_report_path(const std::string &store)
{
  return store + "/reports/last.json";
}

} // namespace gate
