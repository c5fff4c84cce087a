// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

Progress::Progress(std::string title) : x_terminal(isatty(STDERR_FILENO) == 1) { set_title(title); }

void Progress::set_title(const std::string &title)
{
  x_title = title;
  x_begin = x_last = Clock::now();
}

void Progress::show(size_t done, size_t total, const std::string &name)
{
  using namespace std::chrono_literals;
  Clock::time_point now = Clock::now();
  if (!x_terminal || total == 0 || (x_shown && now - x_last < 200ms))
    return;
  x_last = now;
  std::string left;
  if (done > 0) {
    std::chrono::duration<double> passed = now - x_begin;
    left = fmt::format(", about {:.0f} s left", passed.count() * (total - done) / done);
  }
  std::string line =
      fmt::format("{}: {} % ({} of {}{}) {}", x_title, 100 * done / total, done, total, left, name);
  fmt::print(stderr, "\r\033[K{:.79}", line);
  fflush(stderr);
  x_shown = true;
}

void Progress::clear()
{
  if (x_shown)
    fmt::print(stderr, "\r\033[K");
  x_shown = false;
}
