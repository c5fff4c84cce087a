// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which outcome it was, from all that is known at the end. Passed needs a positive proof: a guest
// that panics ends QEMU with status 0.
#pragma once

#include <optional>
#include <string>

#include "tools/vmtest/console_log.h"
#include "tools/vmtest/outcome.h"

namespace vmtest
{

struct Evidence {
  // The kernel's, or those on the console; before any backtrace that we asked for.
  std::vector<Finding> findings;
  std::string bare_panic;           // see ConsoleLog
  std::vector<std::string> allowed; // expressions for splats that are none
  bool console_silent = false;
  bool hello = false;       // the guest's init came up
  std::string result;       // of the Result frame, empty: none
  bool complete = false;    // all frames and files, with their end marks
  std::string line_error;   // what was wrong with the frames
  std::string trouble;      // of the Trouble frame
  std::string output_error; // our own: what could not be written here
  std::string qemu_error;   // it ended as no guest ends it
  std::string model_error;  // why its figures are not to be used
  std::string timed_out;    // "the command ran for 60 s"; empty: no
  int interrupted = 0;      // a signal's number
  bool warn_fatal = false;
};

struct Verdict {
  Outcome outcome = Outcome::NoResult;
  int status = 0;     // see exit_code()
  std::string detail; // one line
  std::string remark; // what the kernel said that is no failure: warnings, a full cgroup
  // The command's own status as a shell gives it, whatever else went wrong.
  std::optional<int> command = std::nullopt;
};

Verdict judge(const Evidence &evidence);

} // namespace vmtest
