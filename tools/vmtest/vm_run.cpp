// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/vm_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tools/lib/atomic_file.h"
#include "tools/lib/fd.h"
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

[[noreturn]] static void execute(std::vector<std::string> command, int out, int err)
{
  std::vector<char *> argv;
  for (std::string &argument : command)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execvp(argv[0], argv.data());
  _exit(127);
}

// Returns whether there was anything; closes the pipe at its end.
static bool read_some(Fd &pipe, std::string &text)
{
  char buffer[65536];
  ssize_t length = read(pipe.get(), buffer, sizeof(buffer));
  if (length <= 0)
    pipe.reset();
  else
    text.append(buffer, static_cast<size_t>(length));
  return length > 0;
}

VmRun run(const std::vector<std::string> &command,
          const std::function<void(pid_t, const std::string &)> &meanwhile)
{
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
    fail("no pipe", std::source_location::current());
  pid_t pid = fork();
  if (pid == 0)
    execute(command, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  Fd out_pipe(out[0]), err_pipe(err[0]);
  VmRun ended;
  while (out_pipe || err_pipe) {
    pollfd fds[] = {{out_pipe.get(), POLLIN, 0}, {err_pipe.get(), POLLIN, 0}};
    poll(fds, 2, -1);
    if (fds[0].revents && read_some(out_pipe, ended.out) && meanwhile)
      meanwhile(pid, ended.out);
    if (fds[1].revents)
      read_some(err_pipe, ended.err);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ended;
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
