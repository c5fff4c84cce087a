// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The user's terminal in raw mode, for --shell. It is put back at the end, whatever the end is: a
// small process that outlives us does it.
#pragma once

#include <sys/types.h>

#include <string>

#include "tools/lib/fd.h"

namespace vmtest
{

class Terminal {
public:
  // Of the standard input. Throws std::system_error where that is no terminal.
  Terminal();
  ~Terminal();
  Terminal(const Terminal &) = delete;
  Terminal &operator=(const Terminal &) = delete;

  struct Size {
    int rows = 24, columns = 80;
    bool operator==(const Size &) const = default;
  };
  Size size() const;
  // What was typed; empty at its end.
  std::string read_keys();

private:
  pid_t x_keeper = -1;
  Fd x_alive; // its end tells the keeper of ours
};

} // namespace vmtest
