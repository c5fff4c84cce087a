// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <system_error>

#include "tools/lib/fd.h"
#include "tools/lib/streams.h"

[[noreturn]] static void fail(const char *operation, const std::string &path)
{
  throw std::system_error(errno, std::generic_category(),
                          fmt::format("cannot {} '{}'", operation, path));
}

static void write_to(int fd, std::string_view text, const std::string &path)
{
  write_all(fd, text, fmt::format("cannot write '{}'", path));
}

static void sync_file(int fd, const std::string &path)
{
  // EINVAL: something that cannot be synchronised, such as a pipe.
  if (fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
    fail("write", path);
}

namespace
{

// A temporary file that is gone again unless it was renamed.
class Temporary {
public:
  Temporary(const std::string &target, const std::string &name)
      : x_target(target), x_path(target + ".tmp.XXXXXX"), x_name(name)
  {
    x_fd.reset(mkostemp(x_path.data(), O_CLOEXEC));
    if (!x_fd)
      fail("write", x_name);
  }
  ~Temporary()
  {
    if (!x_path.empty())
      unlink(x_path.c_str());
  }
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;

  int fd() const { return x_fd.get(); }

  void commit()
  {
    sync_file(x_fd.get(), x_name);
    if (rename(x_path.c_str(), x_target.c_str()) < 0)
      fail("write", x_name);
    x_path.clear();
  }

private:
  std::string x_target;
  std::string x_path;
  std::string x_name;
  Fd x_fd;
};

} // namespace

static std::string resolved(const std::string &path)
{
  char buffer[PATH_MAX];
  return realpath(path.c_str(), buffer) ? buffer : path;
}

static void sync_directory(const std::string &path)
{
  size_t slash = path.rfind('/');
  std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd)
    sync_file(fd.get(), path);
}

static mode_t masked(mode_t mode)
{
  mode_t mask = umask(0);
  umask(mask);
  return mode & ~mask;
}

// What is there, or of mode 0: it must not be a directory.
static struct stat status_of(const std::string &path)
{
  struct stat there = {};
  stat(path.c_str(), &there);
  if (S_ISDIR(there.st_mode)) {
    errno = EISDIR;
    fail("write", path);
  }
  return there;
}

static bool is_special(const struct stat &there)
{
  return there.st_mode && !S_ISREG(there.st_mode);
}

void write_file(const std::string &path, std::string_view text, unsigned mode)
{
  if (path == "-")
    return write_to(STDOUT_FILENO, text, "standard output");
  struct stat there = status_of(path);
  if (is_special(there)) {
    Fd fd(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd)
      fail("open", path);
    return write_to(fd.get(), text, path);
  }
  std::string target = resolved(path);
  Temporary file(target, path);
  if (fchmod(file.fd(), there.st_mode ? there.st_mode & 07777 : masked(mode)) < 0)
    fail("write", path);
  write_to(file.fd(), text, path);
  file.commit();
  sync_directory(target);
}

void check_writable(const std::string &path)
{
  if (path == "-")
    return;
  struct stat there = status_of(path);
  if (!is_special(there))
    Temporary(resolved(path), path);
  else if (access(path.c_str(), W_OK) < 0) // not opened: a pipe would wait for its reader
    fail("open", path);
}

std::string read_file(const std::string &path, size_t limit)
{
  Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd)
    fail("open", path);
  std::string text;
  char buffer[65536];
  while (ssize_t got = read(fd.get(), buffer, sizeof(buffer))) {
    if (got < 0 && errno != EINTR)
      fail("read", path);
    if (got > 0)
      text.append(buffer, got);
    if (text.size() > limit)
      throw std::runtime_error(fmt::format("'{}' has more than {} MiB", path, limit >> 20));
  }
  return text;
}
