// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// fork, exec, and two pipes that are read until both are closed.
#include "tools/test_progs/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "tools/lib/fd.h"

bool Ended::has(const std::string &line) const
{
  return ("\n" + out).find("\n" + line + "\n") != std::string::npos;
}

size_t Ended::count(const std::string &part) const
{
  size_t number = 0;
  for (size_t at = out.find(part); at != std::string::npos; at = out.find(part, at + 1))
    number++;
  return number;
}

[[noreturn]] static void execute(const std::vector<std::string> &arguments, int out, int err)
{
  const char *program = getenv("TEST_PROGS");
  std::vector<char *> argv{const_cast<char *>(program)};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  rlimit none{0, 0}; // the crashes are wanted, their core files are not
  setrlimit(RLIMIT_CORE, &none);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (program)
    execv(program, argv.data());
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

static int shell_status(pid_t pid)
{
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Ended run_test_progs(const std::vector<std::string> &arguments,
                     const std::function<void(pid_t, const std::string &)> &meanwhile)
{
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
    throw std::runtime_error("no pipe");
  pid_t pid = fork();
  if (pid == 0)
    execute(arguments, out[1], err[1]);
  close(out[1]);
  close(err[1]);
  Fd out_pipe(out[0]), err_pipe(err[0]);
  Ended ended;
  while (out_pipe || err_pipe) {
    pollfd fds[] = {{out_pipe.get(), POLLIN, 0}, {err_pipe.get(), POLLIN, 0}};
    poll(fds, 2, -1);
    if (fds[0].revents && read_some(out_pipe, ended.out) && meanwhile)
      meanwhile(pid, ended.out);
    if (fds[1].revents)
      read_some(err_pipe, ended.err);
  }
  ended.status = shell_status(pid);
  return ended;
}
