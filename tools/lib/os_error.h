// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#pragma once

#include <cerrno>
#include <system_error>

// Throws std::system_error of errno, which begins with what could not be done, unless it is fine.
inline void check_os(bool fine, const char *operation)
{
  if (!fine)
    throw std::system_error(errno, std::generic_category(), operation);
}
