// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One line on a terminal that tells what is measured, how far, and how long still. Quiet in a pipe.
#pragma once

#include <chrono>
#include <string>

namespace gate
{

class Progress {
public:
  explicit Progress(std::string title);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void set_title(const std::string &title);
  void show(size_t done, size_t total, const std::string &name);

private:
  void clear();

  using Clock = std::chrono::steady_clock;
  std::string x_title;
  bool x_terminal;
  bool x_shown = false;
  Clock::time_point x_begin;
  Clock::time_point x_last;
};

} // namespace gate
