// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <system_error>

// What could not be written of it, in bytes; errno says why.
static size_t left_over(int fd, std::string_view bytes)
{
  while (!bytes.empty()) {
    ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) {
      pollfd room = {fd, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (written < 0 && errno != EINTR) {
      return bytes.size();
    }
    bytes.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return 0;
}

void write_all(int fd, std::string_view bytes, const std::string &what)
{
  if (left_over(fd, bytes))
    throw std::system_error(errno, std::generic_category(), what);
}

static ssize_t write_waiting(void *fd, const char *bytes, size_t size)
{
  return static_cast<ssize_t>(
      size - left_over(static_cast<int>(reinterpret_cast<intptr_t>(fd)), {bytes, size}));
}

static int g_lost_output;

static ssize_t write_or_lose(void *fd, const char *bytes, size_t size)
{
  if (!g_lost_output && write_waiting(fd, bytes, size) < static_cast<ssize_t>(size))
    g_lost_output = errno;
  return static_cast<ssize_t>(size);
}

// A stream on the same descriptor, of which glibc leaves the writing to us.
static FILE *stream_of(int fd, cookie_write_function_t *write, int buffering)
{
  cookie_io_functions_t calls = {};
  calls.write = write;
  FILE *stream = fopencookie(reinterpret_cast<void *>(intptr_t{fd}), "w", calls);
  if (!stream)
    throw std::system_error(errno, std::generic_category(), "cannot make a stream");
  setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

// What glibc gives stdout.
static int own_buffering() { return isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF; }

void ready_standard_streams()
{
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_WRONLY : O_RDONLY) != fd)
      throw std::system_error(errno, std::generic_category(),
                              "a standard stream is closed, and /dev/null cannot be opened");
  auto does_not_wait = [](int fd) { return fcntl(fd, F_GETFL) & O_NONBLOCK; };
  if (does_not_wait(STDOUT_FILENO))
    stdout = stream_of(STDOUT_FILENO, write_waiting, own_buffering());
  if (does_not_wait(STDERR_FILENO))
    stderr = stream_of(STDERR_FILENO, write_waiting, _IONBF);
}

void outlive_readers()
{
  signal(SIGPIPE, SIG_IGN);
  stdout = stream_of(STDOUT_FILENO, write_or_lose, own_buffering());
}

int lost_output()
{
  fflush(stdout);
  return g_lost_output;
}
