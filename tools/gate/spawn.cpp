// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "tools/gate/interrupt.h"

namespace gate
{

void make_pipe(Fd &read_end, Fd &write_end)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
}

// Between fork and exec: only calls that are safe there.
[[noreturn]] static void become(char *const argv[], pid_t parent, int in, int out, int err,
                                int report)
{
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  restore_signals();
  if (getppid() == parent && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
      dup2(err, STDERR_FILENO) >= 0)
    execvp(argv[0], argv);
  int failure = errno;
  if (write(report, &failure, sizeof(failure)) < 0)
    _exit(126);
  _exit(127);
}

pid_t spawn(const std::vector<std::string> &argv, int in, int out, int err)
{
  std::vector<char *> pointers;
  for (const std::string &argument : argv)
    pointers.push_back(const_cast<char *>(argument.c_str()));
  pointers.push_back(nullptr);
  Fd report_read, report_write;
  make_pipe(report_read, report_write);
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid < 0)
    throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (pid == 0)
    become(pointers.data(), parent, in, out, err, report_write.get());
  report_write.reset();
  int failure = 0;
  if (read(report_read.get(), &failure, sizeof(failure)) != sizeof(failure))
    return pid;
  waitpid(pid, nullptr, 0);
  throw std::system_error(failure, std::generic_category(),
                          fmt::format("cannot execute '{}'", argv.at(0)));
}

std::string describe_status(int status)
{
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

} // namespace gate
