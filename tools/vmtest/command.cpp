// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "tools/lib/fd.h"

namespace vmtest
{

static Fd memory_file()
{
  Fd fd(memfd_create("output", MFD_CLOEXEC));
  if (!fd)
    throw std::system_error(errno, std::generic_category(), "cannot make a file in memory");
  return fd;
}

static std::string content(const Fd &fd)
{
  std::string text(lseek(fd.get(), 0, SEEK_END), '\0');
  ssize_t got = pread(fd.get(), text.data(), text.size(), 0);
  text.resize(std::max<ssize_t>(got, 0));
  return text;
}

static std::vector<char *> pointers(const std::vector<std::string> &texts)
{
  std::vector<char *> list;
  for (const std::string &text : texts)
    list.push_back(const_cast<char *>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Its messages are read by us.
static std::vector<std::string> plain_environment()
{
  std::vector<std::string> list = {"LC_ALL=C.UTF-8"};
  for (char **each = environ; *each; each++)
    if (strncmp(*each, "LC_ALL=", 7) != 0 && strncmp(*each, "LANGUAGE=", 9) != 0)
      list.push_back(*each);
  return list;
}

namespace
{

struct Program {
  char *const *argv, *const *envp;
  int out, err, report;
};

} // namespace

static int exit_code(int status)
{
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Between fork and exec: only calls that are safe there.
[[noreturn]] static void become(const Program &program)
{
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(program.out, STDOUT_FILENO) >= 0 &&
      dup2(program.err, STDERR_FILENO) >= 0)
    execvpe(program.argv[0], program.argv, program.envp);
  int failure = errno;
  _exit(write(program.report, &failure, sizeof(failure)) < 0 ? 126 : 127);
}

// A process between us and the program. A death signal of the program's own would not do: apt-get
// changes its user for a moment, and that takes it off.
[[noreturn]] static void watch(const Program &program, pid_t parent)
{
  sigset_t awaited;
  sigemptyset(&awaited);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP})
    sigaddset(&awaited, signal);
  sigprocmask(SIG_BLOCK, &awaited, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  pid_t pid = getppid() == parent ? fork() : -1;
  if (pid < 0)
    _exit(126);
  if (pid == 0)
    become(program);
  close(program.report);
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0)
    if (sigwaitinfo(&awaited, nullptr) != SIGCHLD)
      kill(pid, SIGKILL);
  _exit(exit_code(status));
}

// Who interrupts us means the program too.
static int wait_for(pid_t watcher)
{
  int status = 0;
  while (waitpid(watcher, &status, 0) < 0) {
    if (errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot wait for a child");
    kill(watcher, SIGTERM);
  }
  return exit_code(status);
}

CommandResult run_command(const std::vector<std::string> &arguments)
{
  Fd out = memory_file(), err = memory_file();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  Fd report_read(ends[0]), report_write(ends[1]);
  std::vector<std::string> environment = plain_environment();
  std::vector<char *> argv = pointers(arguments), envp = pointers(environment);
  pid_t parent = getpid(), pid = fork();
  if (pid < 0)
    throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (pid == 0)
    watch({argv.data(), envp.data(), out.get(), err.get(), report_write.get()}, parent);
  report_write.reset();
  int failure = 0, status = wait_for(pid);
  if (read(report_read.get(), &failure, sizeof(failure)) == sizeof(failure))
    throw std::system_error(failure, std::generic_category(),
                            fmt::format("cannot execute '{}'", arguments[0]));
  return {status, content(out), content(err)};
}

} // namespace vmtest
