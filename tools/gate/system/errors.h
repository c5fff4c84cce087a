// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Errors that end a command with an exit code of their own. what() is one line.
#pragma once

#include <stdexcept>

namespace gate
{

// A wrong command line, or what it names cannot be used. Exit code 2.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Nothing can be measured on this machine, and why. Exit code 4.
class nothing_measurable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace gate
