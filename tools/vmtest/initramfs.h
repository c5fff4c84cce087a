// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The guest's files, as an uncompressed cpio archive (newc) in memory. The same content gives the
// same bytes, in whatever order it was added: instruction counts move with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vmtest
{

// Where programs of this machine are looked for: PATH, as a shell would without one, and then where
// ip, sysctl and tc are, and an ordinary user's PATH does not lead.
std::vector<std::filesystem::path> search_path();

// One line: which file, and what is wrong with it.
struct initramfs_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Guest paths are absolute or relative to /; "." and ".." are resolved. Directories on the way are
// made. The same path added again with the same content is fine; with other content throws. All of
// these throw initramfs_error where a host file cannot be read or has 4 GiB or more.
class Initramfs {
public:
  Initramfs(); // with /dev/console

  // A regular file, 0755 if anyone may execute it on the host, else 0644; symbolic links on the
  // host are followed.
  void add_file(const std::filesystem::path &host, const std::filesystem::path &guest);

  // The same without debug information, and its loader and shared libraries, found as the dynamic
  // loader finds them (RPATH, LD_LIBRARY_PATH, RUNPATH, the loader's cache, default directories)
  // without running any of them.
  // They lie in the guest where they lie on the host. Scripts bring their interpreter. What
  // dlopen() loads is not seen.
  void add_executable(const std::filesystem::path &host, const std::filesystem::path &guest);

  // All of a directory: files, directories, symbolic links as they are. Returns what is not there,
  // a sentence each: sockets and the like, and what cannot be read.
  std::vector<std::string> add_directory_tree(const std::filesystem::path &host,
                                              const std::filesystem::path &guest);

  // mode: permission bits of a regular file.
  void add_text(const std::filesystem::path &guest, std::string_view content, unsigned mode = 0644);
  void add_directory(const std::filesystem::path &guest, unsigned mode = 0755);
  void add_symlink(const std::filesystem::path &guest, const std::string &target);

  // The archive, padded to 512 bytes. Entries sorted by path, owner root, time 0, inodes counted.
  std::string bytes() const;

  // Of bytes(), hexadecimal.
  std::string sha256() const;

private:
  struct Entry {
    uint32_t mode = 0; // type and permissions
    uint32_t rdev_major = 0, rdev_minor = 0;
    std::string content; // of a file, or a symbolic link's target
    bool operator==(const Entry &) const = default;
  };
  void add(const std::filesystem::path &guest, Entry entry);
  static Entry program(const std::filesystem::path &host, unsigned more_mode);

  std::map<std::string, Entry> x_entries; // by path without the leading /
};

} // namespace vmtest
