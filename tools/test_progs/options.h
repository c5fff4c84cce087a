// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The command line of test_progs: upstream's options and a few of our own.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tools/test_progs/runner.h"

namespace test
{

struct Options {
  Settings settings;
  RunnerOptions runner;
  bool list = false;
  bool count = false;
  bool probe = false;
  bool ktap = false;
  bool meson = false; // exit codes as Meson reads them
  std::string json_file;
  std::string junit_file;
  std::vector<std::string> command;
};

// Gives the options, or the exit code where that is all there was to do (--help, --version, and 64
// for a mistake, which has been explained on stderr).
std::variant<Options, int> parse_options(int argc, char **argv);

} // namespace test
