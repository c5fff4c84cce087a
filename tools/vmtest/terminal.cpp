// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace vmtest
{

// Waits for the end of the pipe, then puts the terminal back. Only calls that are safe after fork.
// Not by tools/lib/process, whose children never outlive us.
[[noreturn]] static void keep(int alive, int other_end, const termios &settings)
{
  close(other_end);
  setpgid(0, 0);            // no signal of the terminal ends this
  signal(SIGTTOU, SIG_IGN); // nor stops it where it writes from the background
  char none;
  while (read(alive, &none, 1) < 0 && errno == EINTR)
    continue;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
  _exit(0);
}

Terminal::Terminal()
{
  termios settings;
  if (tcgetattr(STDIN_FILENO, &settings) < 0)
    throw std::system_error(errno, std::generic_category(), "--shell: the standard input");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  Fd waits(ends[0]);
  x_alive.reset(ends[1]);
  x_keeper = fork();
  if (x_keeper < 0)
    throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (x_keeper == 0)
    keep(waits.get(), x_alive.get(), settings);
  cfmakeraw(&settings);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

Terminal::~Terminal()
{
  x_alive.reset();
  waitpid(x_keeper, nullptr, 0);
}

Terminal::Size Terminal::size() const
{
  winsize size = {};
  if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
    return {};
  return {size.ws_row, size.ws_col};
}

std::string Terminal::read_keys()
{
  char bytes[512];
  ssize_t got = read(STDIN_FILENO, bytes, sizeof(bytes));
  return {bytes, static_cast<size_t>(got < 0 ? 0 : got)};
}

} // namespace vmtest
