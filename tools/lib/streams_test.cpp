// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Standard streams that a parent closed or made O_NONBLOCK: nothing written is lost, and no file
// takes their numbers.
#include "tools/lib/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>

#include "tools/lib/fd.h"
#include "tools/lib/unit_test.h"

using unit_test::expect;
using unit_test::expect_eq;

namespace
{

struct Pipe {
  Fd read_end, write_end;
};

// Full after 4 KiB, and writing never waits.
Pipe small_pipe()
{
  int ends[2];
  expect(pipe2(ends, O_CLOEXEC) == 0);
  expect(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

// The exit code of a child that does this.
pid_t in_child(const std::function<int()> &body)
{
  pid_t pid = fork();
  if (pid == 0)
    _exit(body());
  expect(pid > 0);
  return pid;
}

int exit_code(pid_t pid)
{
  int status = 0;
  expect(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the child was ended");
  return WEXITSTATUS(status);
}

// Whatever is written by body to a pipe that is full before it is read.
std::string through_a_full_pipe(const std::function<int(int)> &body)
{
  Pipe pipe = small_pipe();
  pid_t pid = in_child([&] { return body(pipe.write_end.get()); });
  for (pollfd room = {pipe.write_end.get(), POLLOUT, 0}; poll(&room, 1, 0) != 0;)
    usleep(1000); // until it is full
  bool still_set = fcntl(pipe.write_end.get(), F_GETFL) & O_NONBLOCK;
  pipe.write_end.reset();
  std::string text;
  char buffer[512];
  while (ssize_t got = read(pipe.read_end.get(), buffer, sizeof(buffer))) {
    expect(got > 0);
    text.append(buffer, got);
  }
  expect_eq(exit_code(pid), 0);
  expect(still_set, "others that share the stream still rely on it");
  return text;
}

} // namespace

TEST(writing_waits_for_room)
{
  std::string sent(100'000, 'x');
  expect(through_a_full_pipe([&](int fd) { return write_all(fd, sent), 0; }) == sent);
}

TEST(printing_waits_for_room)
{
  for (int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    std::string got = through_a_full_pipe([fd](int pipe) {
      dup2(pipe, fd);
      ready_standard_streams();
      FILE *stream = fd == STDOUT_FILENO ? stdout : stderr;
      for (int i = 0; i < 5'000; i++)
        fmt::print(stream, "{:09}\n", i);
      return fflush(stream);
    });
    expect_eq(got.size(), 50'000u);
    expect(got.ends_with("000004999\n"), "the last line");
  }
}

TEST(a_reader_that_is_gone_ends_nothing)
{
  Pipe pipe = small_pipe();
  pipe.read_end.reset();
  pid_t pid = in_child([&] {
    dup2(pipe.write_end.get(), STDOUT_FILENO);
    outlive_readers();
    if (lost_output())
      return 1;
    for (int i = 0; i < 5'000; i++)
      fmt::print("line\n");
    return lost_output();
  });
  expect_eq(exit_code(pid), EPIPE);
}

TEST(what_cannot_be_written_is_told)
{
  Pipe pipe = small_pipe();
  pipe.read_end.reset();
  auto old = signal(SIGPIPE, SIG_IGN);
  unit_test::expect_throws([&] { write_all(pipe.write_end.get(), "x", "cannot write 'there'"); },
                           "cannot write 'there': Broken pipe");
  signal(SIGPIPE, old);
}

TEST(no_file_takes_the_number_of_a_closed_stream)
{
  pid_t pid = in_child([] {
    for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      close(fd);
    ready_standard_streams();
    int next = open("/dev/null", O_RDONLY);
    char byte = 0;
    bool whole = read(STDIN_FILENO, &byte, 1) == 0 && write(STDOUT_FILENO, &byte, 1) == 1 &&
                 write(STDERR_FILENO, &byte, 1) == 1;
    return whole && next > STDERR_FILENO ? 0 : 1;
  });
  expect_eq(exit_code(pid), 0);
}
