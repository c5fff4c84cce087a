// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One status line on a terminal: what, how far, how long still. Nothing in a pipe.
#pragma once

#include <chrono>
#include <string>

class Progress {
public:
  // total: steps in all. Shows on stderr, if that is a terminal and enabled.
  explicit Progress(unsigned total, bool enabled = true);
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // Step number `done` (from 0) begins.
  void show(unsigned done, const std::string &what);
  // Takes the line away, before anything else is printed.
  void clear();

private:
  unsigned x_total;
  bool x_enabled, x_shown = false;
  std::chrono::steady_clock::time_point x_start = std::chrono::steady_clock::now();
};
