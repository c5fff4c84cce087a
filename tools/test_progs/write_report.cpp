// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A report is written beside its place and renamed into it, so that a reader never meets half of
// it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "tools/lib/fd.h"
#include "tools/test_progs/reports.h"

namespace test
{

static std::system_error failure(const std::string &path)
{
  return {errno, std::generic_category(), fmt::format("cannot write '{}'", path)};
}

static bool is_special(const std::string &path)
{
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

static void write_all(int fd, const std::string &path, const std::string &text)
{
  for (size_t done = 0; done < text.size();) {
    ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR)
      throw failure(path);
    done += n > 0 ? static_cast<size_t>(n) : 0;
  }
}

void check_report(const std::string &path)
{
  size_t slash = path.rfind('/');
  std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(is_special(path) ? path.c_str() : directory.c_str(), W_OK) < 0)
    throw failure(path);
  struct stat status;
  errno = EISDIR;
  if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw failure(path);
}

void write_report(const std::string &path, const std::string &text)
{
  if (is_special(path)) {
    Fd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd)
      throw failure(path);
    return write_all(fd.get(), path, text);
  }
  std::string beside = fmt::format("{}.{}", path, getpid());
  Fd fd(open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  try {
    if (!fd)
      throw failure(path);
    write_all(fd.get(), path, text);
    if (rename(beside.c_str(), path.c_str()) < 0)
      throw failure(path);
  } catch (const std::system_error &) {
    unlink(beside.c_str());
    throw;
  }
}

} // namespace test
