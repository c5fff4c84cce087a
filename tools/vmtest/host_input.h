// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Our end of --stdin: what comes on a descriptor, as frames for the guest. One frame is on its way
// at a time: a serial line has no flow control, and the guest's buffers hold one.
#pragma once

#include <optional>

#include "tools/vmtest/protocol.h"

namespace vmtest
{

class HostInput {
public:
  // fd: not owned; -1 for no input at all.
  explicit HostInput(int fd) : x_fd(fd) {}
  // To be polled, and read() when there is something; -1 while nothing may be sent, or ever will.
  int fd() const { return x_waits ? -1 : x_fd; }
  // What came, as an Input or InputEnd frame; nothing where a signal was all that came.
  std::optional<Frame> read();
  // The guest has room for the next frame.
  void taken() { x_waits = false; }

private:
  int x_fd;
  bool x_waits = false;
};

} // namespace vmtest
