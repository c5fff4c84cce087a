// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Why virtiofs: Debian's kernels have it, built in or as a module, and lack 9P; it is a file system
// and no image, so that a boot costs nothing for what the command does not open.
#include "tools/vmtest/host_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "tools/lib/streams.h"
#include "tools/vmtest/command.h"
#include "tools/vmtest/initramfs.h"
#include "tools/vmtest/outcome.h"

namespace fs = std::filesystem;

namespace vmtest
{

[[noreturn]] static void fail(const char *what)
{
  throw std::system_error(errno, std::generic_category(), what);
}

// QEMU's own up to 7.2; then a project of its own, in a package of its own.
static fs::path find_virtiofsd()
{
  std::vector<fs::path> places = search_path();
  places.insert(places.end(), {"/usr/libexec", "/usr/lib/qemu"});
  for (const fs::path &place : places)
    if (access((place / "virtiofsd").c_str(), X_OK) == 0)
      return place / "virtiofsd";
  throw outcome_error(Outcome::QemuError, "--root host: there is no virtiofsd (Debian, Ubuntu: "
                                          "package virtiofsd, or qemu-system-common up to 7.2)");
}

static std::vector<std::string> virtiofsd_command(int listening)
{
  std::string path = find_virtiofsd(), fd = fmt::format("--fd={}", listening);
  // "virtiofsd version 7.2.22 ..." of QEMU, "virtiofsd 1.10.0" of the other.
  if (run_command({path, "--version"}).out.starts_with("virtiofsd version"))
    return {path, fd, "-o", "source=/,sandbox=chroot,cache=auto"};
  return {path, fd, "--shared-dir=/", "--cache=auto", "--sandbox=none"};
}

// A socket that listens and one that is connected to it: virtiofsd takes the first, QEMU the other.
static void make_sockets(Fd &listening, Fd &connected)
{
  listening.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  connected.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  socklen_t length = sizeof(sa_family_t), whole = sizeof(address); // the kernel finds a name
  if (!listening || !connected || bind(listening.get(), generic, length) < 0 ||
      listen(listening.get(), 1) < 0 || getsockname(listening.get(), generic, &whole) < 0 ||
      connect(connected.get(), generic, whole) < 0)
    fail("cannot make a socket");
}

static void write_map(const char *path, const std::string &text)
{
  Fd file(open(path, O_WRONLY | O_CLOEXEC));
  if (!file)
    fail(path);
  write_all(file.get(), text);
}

// All mounts read-only, for this process and what comes of it.
static void see_all_read_only()
{
  uid_t user = geteuid();
  gid_t group = getegid();
  if (unshare(CLONE_NEWNS | (user ? CLONE_NEWUSER : 0)) < 0)
    fail("cannot have mounts of its own");
  if (user) {
    write_map("/proc/self/setgroups", "deny");
    write_map("/proc/self/uid_map", fmt::format("0 {} 1", user));
    write_map("/proc/self/gid_map", fmt::format("0 {} 1", group));
  }
  mount_attr read_only = {};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  read_only.propagation = MS_PRIVATE;
  if (syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof(read_only)) < 0)
    fail("cannot make mounts read-only");
}

HostFiles::HostFiles()
{
  Fd listening;
  make_sockets(listening, x_socket);
  x_err = process::memory_file();
  process::Options options = {
      .out = x_err.get(), .err = x_err.get(), .own_group = true, .death_signal = SIGKILL};
  options.prepare = [&] {
    see_all_read_only();
    fcntl(listening.get(), F_SETFD, 0);
  };
  std::vector<std::string> command = virtiofsd_command(listening.get());
  try {
    x_child = process::spawn(command, options);
  } catch (const std::system_error &failure) {
    throw outcome_error(Outcome::QemuError,
                        fmt::format("--root host: {}: {}", command[0], failure.code().message()));
  }
}

} // namespace vmtest
