// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One boot of one kernel: QEMU is started, what comes from the guest goes where it belongs, and the
// end gets its name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/vmtest/kernel.h"
#include "tools/vmtest/outcome.h"
#include "tools/vmtest/qemu.h"
#include "tools/vmtest/run_config.h"
#include "tools/vmtest/terminal.h"

namespace vmtest
{

enum class Stream { Out, Err };

struct BootRequest {
  const Kernel &kernel;
  Machine machine;
  RunConfig config;           // nonce and all
  std::string_view initramfs; // the payload; config comes behind it
  std::string out_directory;  // empty: what is under $OUT is dropped
  std::vector<std::string> allowed_splats;
  long timeout_s = 0;           // from the command's start; 0: none
  long boot_timeout_s = 0;      // to the command's start; 0: none
  Terminal *terminal = nullptr; // of --shell
  int input = -1;               // of --stdin: a descriptor to read from
  std::function<void(Stream, std::string_view)> output;
  std::function<void(const std::string &)> remark;       // a line for the user, while it runs
  std::function<void(const std::string &)> console_line; // each line of the console
};

struct BootResult {
  Outcome outcome = Outcome::NoResult;
  int status = 0;                   // of the command as a shell gives it; the signal of Interrupted
  std::optional<int> command;       // see Verdict
  std::string detail, remark;       // one line each, see Verdict
  std::vector<std::string> console; // the lines that explain it
  std::optional<double> boot_s, command_s; // QEMU's start to command's start; the command
  double total_s = 0;
  size_t files = 0;                    // of $OUT
  std::optional<std::string> modelled; // what bench has not told itself, one line
};

// Never throws for what the guest does.
BootResult boot(const BootRequest &request);

} // namespace vmtest
