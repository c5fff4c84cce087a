// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Standard output of the commands, for their unit tests.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "tools/lib/fd.h"
#include "tools/lib/unit_test.h"

namespace gate
{

// What is written to standard output while it lives.
class Capture {
public:
  Capture() : x_file(memfd_create("stdout", 0)), x_stdout(dup(STDOUT_FILENO))
  {
    fflush(stdout);
    dup2(x_file.get(), STDOUT_FILENO);
  }
  ~Capture() { dup2(x_stdout.get(), STDOUT_FILENO); }
  std::string text() const
  {
    fflush(stdout);
    std::string text(lseek(x_file.get(), 0, SEEK_END), '\0');
    unit_test::expect(pread(x_file.get(), text.data(), text.size(), 0) ==
                      static_cast<ssize_t>(text.size()));
    return text;
  }

private:
  Fd x_file;
  Fd x_stdout;
};

} // namespace gate
