// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

Progress::Progress(unsigned total, bool enabled)
    : x_total(total), x_enabled(enabled && isatty(STDERR_FILENO))
{
}

void Progress::show(unsigned done, const std::string &what)
{
  if (!x_enabled)
    return;
  auto passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - x_start).count();
  std::string left;
  if (done > 0) {
    auto seconds = static_cast<unsigned>(passed / done * (x_total - done) + 0.5);
    left = fmt::format(", {}:{:02} left", seconds / 60, seconds % 60);
  }
  std::string line = fmt::format("[{}/{}] {}{}", done + 1, x_total, what, left);
  fmt::print(stderr, "\r\x1b[K{:.78}", line);
  fflush(stderr);
  x_shown = true;
}

void Progress::clear()
{
  if (x_shown)
    fmt::print(stderr, "\r\x1b[K");
  fflush(stderr);
  x_shown = false;
}
