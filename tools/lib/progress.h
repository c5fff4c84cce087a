// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One status line on a terminal: what, how far, how long still. Nothing in a pipe.
#pragma once

#include <chrono>
#include <string>

class Progress {
public:
  // title: what the work is called. The line goes to stderr, if that is a terminal.
  explicit Progress(std::string title);
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // Another part of the work: the time that is left is reckoned from here.
  void set_title(const std::string &title);
  // done of total steps are over, and the one called name begins. At most five times a second.
  void show(size_t done, size_t total, const std::string &name);
  // Takes the line away, before anything else is printed.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  std::string x_title;
  bool x_terminal;
  bool x_shown = false;
  Clock::time_point x_begin;
  Clock::time_point x_last;
};
