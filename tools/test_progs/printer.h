// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a run prints on stdout while it goes on: upstream's lines or KTAP.
#pragma once

#include <memory>

#include "tools/test_progs/runner.h"

namespace test
{

class Printer : public Listener {
public:
  // planned: the number of tests that are going to run.
  virtual void begin(size_t planned) = 0;
  virtual void end(const RunResult &run) = 0;
  // Instead of begin() and end(), where nothing can run here.
  virtual void skip_all(const std::string &reason) = 0;
  // Instead of begin() and end(), where there is nothing to run.
  virtual void bail_out(const std::string &reason) = 0;
};

// verbose: the logs of passed tests too. live: the logs have been shown already.
std::unique_ptr<Printer> native_printer(bool verbose, bool live);
std::unique_ptr<Printer> ktap_printer(bool verbose);

} // namespace test
