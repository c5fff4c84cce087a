// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a worker printed: a file in memory, so that it outlives the worker and never blocks it.
#pragma once

#include <cstdint>
#include <string>

#include "tools/lib/fd.h"

namespace test
{

class WorkerLog {
public:
  // Throws std::system_error.
  WorkerLog();
  int fd() const { return x_fd.get(); }
  uint64_t size() const;
  // The text between two offsets; the middle is left out, and said so, where it is over 256 KiB.
  std::string text(uint64_t begin, uint64_t end) const;
  // What was printed since the last call, up to `end`, all of it.
  std::string fresh(uint64_t end);

private:
  std::string read(uint64_t begin, uint64_t end) const;

  Fd x_fd;
  uint64_t x_shown = 0;
};

} // namespace test
