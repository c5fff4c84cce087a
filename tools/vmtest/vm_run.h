// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// For the tests that boot guests: runs vmtest and says how it ended, and whether a QEMU is left.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

struct VmRun {
  int status = -1; // exit code, or 128 + signal as a shell says it
  std::string out, err;
};

// The kernel that the tests boot. Throws unit_test::Skip where this machine cannot have it, or no
// QEMU.
std::string test_kernel();

// vmtest with these arguments, test_kernel() and a mark of this process on the kernel's command
// line.
std::vector<std::string> vmtest_command(const std::vector<std::string> &arguments);

// meanwhile: called with the process and its stdout so far, each time there is more of it.
VmRun run(const std::vector<std::string> &command,
          const std::function<void(pid_t, const std::string &)> &meanwhile = nullptr);

// vmtest_command() run.
VmRun run_vmtest(const std::vector<std::string> &arguments,
                 const std::function<void(pid_t, const std::string &)> &meanwhile = nullptr);

// The QEMUs that carry this process' mark.
std::vector<pid_t> our_qemus();

// Fails unless there is none within a few seconds.
void expect_no_qemu_left();
