// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the tests of interrupted writers share: bodies in children that are killed, and file systems
// that are full.
#pragma once

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tools/lib/process.h"
#include "tools/lib/unit_test.h"

namespace robustness
{

using unit_test::expect;

// Calls write_one(first), write_one(first + 1), ... in a child, which it kills after a while.
// Returns the last number that was written for certain.
inline int write_until_killed(const std::function<void(int)> &write_one, int first,
                              std::chrono::microseconds after)
{
  process::Pipe pipe = process::make_pipe();
  process::Child child = process::fork_child([&] {
    for (int i = first;; i++) {
      write_one(i);
      if (write(pipe.write.get(), &i, sizeof(i)) != sizeof(i))
        return 1;
    }
  });
  pipe.write.reset();
  std::this_thread::sleep_for(after);
  child.kill_now();
  expect(child.status().signal() == SIGKILL, "it ended before it was killed");
  int last = first - 1, number = 0;
  while (read(pipe.read.get(), &number, sizeof(number)) == sizeof(number))
    last = number;
  return last;
}

// So many children at once, each of which calls write_one(its number, i) for each i below times.
inline std::vector<process::Child> writers(int count, int times,
                                           const std::function<void(int writer, int)> &write_one)
{
  std::vector<process::Child> children;
  for (int writer = 0; writer < count; writer++)
    children.push_back(process::fork_child([&] {
      for (int i = 0; i < times; i++)
        write_one(writer, i);
      return 0;
    }));
  return children;
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

// Of thrown_in_child(): nothing went wrong, or this machine lacks something.
inline void expect_text(const std::string &text)
{
  if (text.starts_with("SKIP "))
    throw unit_test::Skip(text.substr(5));
  expect(text.empty(), text);
}

} // namespace robustness
