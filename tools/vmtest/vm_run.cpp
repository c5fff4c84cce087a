// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/vm_run.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tools/lib/atomic_file.h"
#include "tools/lib/process.h"
#include "tools/lib/text.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/kernel.h"
#include "tools/vmtest/kernel_files.h"
#include "tools/vmtest/outcome.h"
#include "tools/vmtest/qemu.h"

using namespace unit_test;

std::string test_kernel()
{
  try {
    vmtest::find_qemu("");
    vmtest::find_kernel("debian:6.12");
  } catch (const vmtest::outcome_error &failure) {
    throw Skip(failure.what());
  } catch (const vmtest::kernel_missing &reason) {
    throw Skip(reason.what());
  }
  return "debian:6.12";
}

static std::string mark() { return fmt::format("vmtest.mark={}", getpid()); }

std::vector<std::string> vmtest_command(const std::vector<std::string> &arguments)
{
  const char *program = getenv("VMTEST");
  std::vector<std::string> command = {program ? program : "vmtest", "--kernel", test_kernel(),
                                      "--append", mark()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

VmRun run(const std::vector<std::string> &command,
          const std::function<void(pid_t, const std::string &)> &meanwhile)
{
  process::Reading reading;
  if (meanwhile)
    reading.meanwhile = [&](process::Child &child, const std::string &out) {
      meanwhile(child.pid(), out);
    };
  process::Finished ended = process::run(command, {}, reading);
  return {ended.status.as_shell(), std::move(ended.out), std::move(ended.err)};
}

VmRun run_vmtest(const std::vector<std::string> &arguments,
                 const std::function<void(pid_t, const std::string &)> &meanwhile)
{
  return run(vmtest_command(arguments), meanwhile);
}

std::vector<pid_t> our_qemus()
{
  std::vector<pid_t> found;
  for (const std::string &name : names_if_there("/proc")) {
    auto pid = parse_whole(name);
    auto line = pid ? read_small_file("/proc/" + name + "/cmdline") : std::nullopt;
    // QEMU has the mark inside one argument; vmtest has it as one.
    if (line && line->find(" " + mark()) != std::string::npos)
      found.push_back(static_cast<pid_t>(*pid));
  }
  return found;
}

void expect_no_qemu_left()
{
  for (int tries = 0; tries < 100 && !our_qemus().empty(); tries++)
    usleep(50000);
  expect(our_qemus().empty(), "a QEMU is left");
}
