// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "tools/lib/fd.h"

namespace vmtest
{

[[noreturn]] static void fail(int error, const std::filesystem::path &path)
{
  throw std::system_error(error, std::generic_category(),
                          fmt::format("cannot read '{}'", path.string()));
}

MappedFile::MappedFile(const std::filesystem::path &path)
{
  // O_NONBLOCK: a named pipe must not be waited for.
  Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!fd || fstat(fd.get(), &status) < 0)
    fail(errno, path);
  if (!S_ISREG(status.st_mode))
    fail(S_ISDIR(status.st_mode) ? EISDIR : EINVAL, path);
  if (status.st_size == 0)
    return;
  void *begin = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (begin == MAP_FAILED)
    fail(errno, path);
  x_begin = static_cast<const char *>(begin);
  x_size = status.st_size;
}

MappedFile::~MappedFile()
{
  if (x_begin)
    munmap(const_cast<char *>(x_begin), x_size);
}

} // namespace vmtest
