// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/guest_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace vmtest::guest
{

void GuestLog::open()
{
  if (!x_file)
    x_file.reset(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

// A record a read; EPIPE: the next ones were overwritten, and the one after them comes next.
void GuestLog::read()
{
  std::array<char, 16384> record;
  while (x_file) {
    ssize_t got = ::read(x_file.get(), record.data(), record.size());
    if (got > 0)
      x_log.add({record.data(), static_cast<size_t>(got)});
    else if (got < 0 && errno == EPIPE)
      x_log.lose();
    else if (got == 0 || errno != EINTR)
      return;
  }
}

} // namespace vmtest::guest
