// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/host_input.h"

#include <unistd.h>

#include <cerrno>

namespace vmtest
{

// What cannot be read has no more to give: the command sees the end of it.
std::optional<Frame> HostInput::read()
{
  std::string bytes(longest_input, '\0');
  ssize_t got = ::read(x_fd, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return std::nullopt;
  if (got <= 0) {
    x_fd = -1;
    return Frame{FrameKind::InputEnd, ""};
  }
  x_waits = true;
  bytes.resize(static_cast<size_t>(got));
  return Frame{FrameKind::Input, std::move(bytes)};
}

} // namespace vmtest
