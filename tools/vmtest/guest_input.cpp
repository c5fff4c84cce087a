// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The pipe is written without blocking: a command that does not read holds up nothing but its own
// input, which then waits at the host.
#include "tools/vmtest/guest_input.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace vmtest::guest
{

Fd GuestInput::open()
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  Fd commands(ends[0]);
  x_pipe.reset(ends[1]);
  if (fcntl(x_pipe.get(), F_SETFL, O_NONBLOCK) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe non-blocking");
  return commands;
}

// Without bytes to write, only that the reader has gone is of interest: poll() always tells.
short GuestInput::events() const { return x_pending.empty() ? 0 : POLLOUT; }

// Whoever closes its input has no use for more of it: the host is not asked for any.
void GuestInput::ready(short revents)
{
  if (revents & POLLERR)
    x_pipe.reset();
  else
    flush();
}

// Told before the command gets its bytes, and on the wire by then: what the command does next may
// be measured, and a serial line costs an interrupt every few bytes.
void GuestInput::make_room_known()
{
  if (!x_owed || x_pending.size() > longest_input)
    return;
  x_owed = false;
  x_host.send(FrameKind::InputTaken, "");
  x_host.drain();
}

void GuestInput::push(std::string_view bytes)
{
  if (!x_pipe)
    return;
  x_pending += bytes;
  x_owed = true;
  make_room_known();
  flush();
}

void GuestInput::end()
{
  x_ended = true;
  flush();
}

void GuestInput::flush()
{
  if (!x_pipe)
    return;
  ssize_t written = x_pending.empty() ? 0 : write(x_pipe.get(), x_pending.data(), x_pending.size());
  if (written < 0 && errno != EINTR && errno != EAGAIN)
    return x_pipe.reset();
  x_pending.erase(0, written < 0 ? 0 : written);
  make_room_known();
  if (x_ended && x_pending.empty())
    x_pipe.reset();
}

} // namespace vmtest::guest
