// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the tests of interrupted writers share: bodies in children that are killed, and file systems
// that are full.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include "tools/lib/unit_test.h"

namespace robustness
{

using unit_test::expect;

// Runs body in a child. What it throws is its failure, and the text comes back.
inline std::string in_child(const std::function<void()> &body)
{
  int ends[2];
  expect(pipe2(ends, O_CLOEXEC) == 0);
  pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      body();
    } catch (const std::exception &failure) {
      text = failure.what();
    }
    _exit(write(ends[1], text.data(), text.size()) != static_cast<ssize_t>(text.size()));
  }
  close(ends[1]);
  std::string text(4096, '\0');
  text.resize(std::max<ssize_t>(0, read(ends[0], text.data(), text.size())));
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, fmt::format("wait status {}", status));
  return text;
}

// Calls write_one(first), write_one(first + 1), ... in a child, which it kills after a while.
// Returns the last number that was written for certain.
inline int write_until_killed(const std::function<void(int)> &write_one, int first,
                              std::chrono::microseconds after)
{
  int ends[2];
  expect(pipe2(ends, O_CLOEXEC) == 0);
  pid_t child = fork();
  if (child == 0) {
    try {
      for (int i = first;; i++) {
        write_one(i);
        if (write(ends[1], &i, sizeof(i)) != sizeof(i))
          _exit(1);
      }
    } catch (...) {
      _exit(1);
    }
  }
  close(ends[1]);
  std::this_thread::sleep_for(after);
  kill(child, SIGKILL);
  int status = 0, last = first - 1, number = 0;
  waitpid(child, &status, 0);
  expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "it ended before it was killed");
  while (read(ends[0], &number, sizeof(number)) == sizeof(number))
    last = number;
  close(ends[0]);
  return last;
}

// Three times what one call takes: kills that fall anywhere into it hit two or three calls, however
// slow this machine is.
inline std::chrono::microseconds window_of(const std::function<void()> &write_one)
{
  using std::chrono::steady_clock;
  auto begin = steady_clock::now();
  write_one();
  return std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begin) * 3;
}

// A private file system of that size on directory, for this process only.
inline void mount_small(const std::string &directory, const char *size)
{
  if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0 ||
      mount("bpfgate-test", directory.c_str(), "tmpfs", 0, fmt::format("size={}", size).c_str()) <
          0)
    throw std::runtime_error("SKIP no right to mount a tmpfs: " + std::string(strerror(errno)));
}

// Of in_child(): nothing went wrong, or this machine lacks something.
inline void expect_text(const std::string &text)
{
  if (text.starts_with("SKIP "))
    throw unit_test::Skip(text.substr(5));
  expect(text.empty(), text);
}

} // namespace robustness
