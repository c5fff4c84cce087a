// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// An owned file descriptor: closed once, moved, never copied.
#pragma once

#include <unistd.h>

#include <utility>

class Fd {
public:
  Fd() = default;
  explicit Fd(int fd) : x_fd(fd) {}
  Fd(Fd &&other) noexcept : x_fd(other.release()) {}
  Fd &operator=(Fd &&other) noexcept
  {
    reset(other.release());
    return *this;
  }
  Fd(const Fd &) = delete;
  Fd &operator=(const Fd &) = delete;
  ~Fd() { reset(); }

  int get() const { return x_fd; }
  explicit operator bool() const { return x_fd >= 0; }
  int release() { return std::exchange(x_fd, -1); }
  void reset(int fd = -1)
  {
    if (x_fd >= 0)
      close(x_fd);
    x_fd = fd;
  }

private:
  int x_fd = -1;
};
