// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// For the tests of the harness: runs test_progs and says how it ended.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

struct Ended {
  int status = -1; // exit code, or 128 + signal as a shell says it
  std::string out;
  std::string err;
  bool has(const std::string &line) const;     // whether stdout has exactly this line
  size_t count(const std::string &part) const; // how often it is in stdout
};

// Runs the program that the environment names as TEST_PROGS. meanwhile: called with the process and
// its stdout so far, each time there is more of it.
Ended run_test_progs(const std::vector<std::string> &arguments,
                     const std::function<void(pid_t, const std::string &)> &meanwhile = nullptr);
