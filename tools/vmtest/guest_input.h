// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The guest's end of --stdin: frames of the host into a pipe to the command.
#pragma once

#include <string>

#include "tools/lib/fd.h"
#include "tools/vmtest/guest_command.h"

namespace vmtest::guest
{

class GuestInput {
public:
  explicit GuestInput(Channel &host) : x_host(host) {}
  // The command's end of a new pipe. Throws std::system_error.
  Fd open();
  // To be polled for events(), and ready() when there are some; -1: no pipe.
  int fd() const { return x_pipe.get(); }
  short events() const;
  void ready(short revents);
  // What the host sent.
  void push(std::string_view bytes);
  void end();

private:
  void flush();
  void make_room_known();

  Channel &x_host;
  Fd x_pipe;
  std::string x_pending; // two frames at most
  bool x_owed = false;   // the host waits to hear that there is room
  bool x_ended = false;
};

} // namespace vmtest::guest
