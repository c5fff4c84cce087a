// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A memfd opened for appending, shared by the worker, its children and the runner.
#include "tools/test_progs/worker_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <system_error>

namespace test
{

WorkerLog::WorkerLog() : x_fd(memfd_create("test_progs-log", MFD_CLOEXEC))
{
  if (!x_fd || fcntl(x_fd.get(), F_SETFL, O_APPEND) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot create a log in memory");
}

uint64_t WorkerLog::size() const
{
  struct stat status;
  return fstat(x_fd.get(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

std::string WorkerLog::read(uint64_t begin, uint64_t end) const
{
  std::string text(end > begin ? end - begin : 0, '\0');
  size_t done = 0;
  while (done < text.size()) {
    ssize_t n =
        pread(x_fd.get(), text.data() + done, text.size() - done, static_cast<off_t>(begin + done));
    if (n <= 0)
      break;
    done += static_cast<size_t>(n);
  }
  text.resize(done);
  return text;
}

std::string WorkerLog::text(uint64_t begin, uint64_t end) const
{
  constexpr uint64_t half = 128 * 1024;
  if (end - begin <= 2 * half)
    return read(begin, end);
  return read(begin, begin + half) +
         fmt::format("\n[{} bytes left out]\n", end - begin - 2 * half) + read(end - half, end);
}

std::string WorkerLog::fresh(uint64_t end)
{
  constexpr uint64_t piece = 1024 * 1024; // a flood comes in pieces, each passed on at once
  uint64_t begin = x_shown;
  x_shown = std::min(std::max(end, begin), begin + piece);
  return read(begin, x_shown);
}

} // namespace test
