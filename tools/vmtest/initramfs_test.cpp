// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/libraries.h"

using namespace unit_test;
using namespace vmtest;
namespace fs = std::filesystem;

namespace
{

struct Found {
  unsigned mode;
  std::string content; // or a symbolic link's target
  long mtime;
  uint64_t rdev;
};

} // namespace

// The archive as another reader sees it.
static std::map<std::string, Found> read_back(const std::string &bytes)
{
  std::map<std::string, Found> found;
  archive *reader = archive_read_new();
  archive_read_support_format_cpio(reader);
  expect_eq(archive_read_open_memory(reader, bytes.data(), bytes.size()), ARCHIVE_OK);
  archive_entry *entry;
  while (archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
    std::string content(archive_entry_size(entry), '\0');
    const char *target = archive_entry_symlink(entry);
    if (target)
      content = target;
    else
      expect_eq(archive_read_data(reader, content.data(), content.size()),
                static_cast<long>(content.size()));
    found[archive_entry_pathname(entry)] = {archive_entry_mode(entry), content,
                                            archive_entry_mtime(entry), archive_entry_rdev(entry)};
    expect_eq(archive_entry_uid(entry), 0);
  }
  archive_read_free(reader);
  return found;
}

TEST(initramfs_is_read_by_others)
{
  Initramfs guest;
  guest.add_text("/etc/deep/er/config", "text\n");
  guest.add_text("empty", "", 0755);
  guest.add_symlink("/link", "etc/deep");
  std::string bytes = guest.bytes();
  expect_eq(bytes.size() % 512, 0u);
  auto found = read_back(bytes);
  expect_eq(found.size(), 8u);
  expect_eq(found.at("etc/deep/er/config").content, "text\n");
  expect_eq(found.at("etc/deep/er/config").mode, unsigned{S_IFREG | 0644});
  expect_eq(found.at("etc/deep").mode, unsigned{S_IFDIR | 0755});
  expect_eq(found.at("empty").mode, unsigned{S_IFREG | 0755});
  expect_eq(found.at("link").content, "etc/deep");
  expect_eq(found.at("dev/console").mode, unsigned{S_IFCHR | 0600});
  expect_eq(found.at("dev/console").rdev, uint64_t{0x501});
  expect_eq(found.at("dev/console").mtime, 0);
}

TEST(initramfs_same_content_same_bytes)
{
  TemporaryDirectory here;
  write_file(here / "a", "one");
  write_file(here / "b", "two");
  Initramfs first, second;
  first.add_file(here / "a", "/x/a");
  first.add_file(here / "b", "/b");
  // Other times, other permissions but for x, another order.
  timespec times[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, (here / "a").c_str(), times, 0);
  fs::permissions(here / "a", fs::perms::owner_read);
  second.add_file(here / "b", "b");
  second.add_file(here / "a", "/./y/../x//a");
  second.add_file(here / "a", "/x/a");
  expect(first.bytes() == second.bytes());
  expect_eq(first.sha256(), second.sha256());
  second.add_text("/x/c", "");
  expect(first.sha256() != second.sha256());
}

TEST(initramfs_refuses)
{
  TemporaryDirectory here;
  Initramfs guest;
  guest.add_text("/a", "one");
  expect_throws([&] { guest.add_text("a", "other"); }, "'/a' was added twice");
  expect_throws([&] { guest.add_text("/a/b", ""); }, "no directory");
  expect_throws([&] { guest.add_text("/..", ""); }, "no path for a file");
  expect_throws([&] { guest.add_file(here / "none", "/n"); }, "none");
  expect_throws([&] { guest.add_file(here.path(), "/n"); }, "directory");
  write_file(here / "large", "");
  fs::resize_file(here / "large", uint64_t{1} << 32);
  expect_throws([&] { guest.add_file(here / "large", "/n"); }, "4 GiB or more");
  expect_eq(mkfifo((here / "pipe").c_str(), 0600), 0);
  expect_throws([&] { guest.add_file(here / "pipe", "/n"); }, "pipe");
}

TEST(initramfs_directory_tree)
{
  TemporaryDirectory here;
  fs::create_directories(here / "sub/empty");
  write_file(here / "sub/file", "content");
  write_file(here / "run", "#!/bin/sh\n", 0755);
  fs::create_symlink("sub/file", here / "link");
  fs::create_symlink("nowhere", here / "dangling");
  expect_eq(mkfifo((here / "sub/pipe").c_str(), 0600), 0);
  Initramfs guest;
  std::vector<std::string> left_out = guest.add_directory_tree(here.path(), "/share");
  expect_eq(left_out.size(), 1u);
  expect_has(left_out[0], "sub/pipe' is no file, directory or symbolic link");
  auto found = read_back(guest.bytes());
  expect_eq(found.at("share/sub/file").content, "content");
  expect_eq(found.at("share/sub/empty").mode, unsigned{S_IFDIR | 0755});
  expect_eq(found.at("share/run").mode, unsigned{S_IFREG | 0755});
  expect_eq(found.at("share/link").content, "sub/file");
  expect_eq(found.at("share/dangling").content, "nowhere");
}

static int add_loaded(dl_phdr_info *info, size_t, void *data)
{
  if (std::string name = info->dlpi_name; name.starts_with("/"))
    static_cast<std::set<std::string> *>(data)->insert(fs::canonical(name));
  return 0;
}

// The loader has just done for this program what find_libraries() reckons.
TEST(libraries_are_those_that_the_loader_took)
{
  std::set<std::string> loaded, found;
  dl_iterate_phdr(add_loaded, &loaded);
  for (const GuestFile &file : find_libraries({"/proc/self/exe", "/bin/test"}))
    found.insert(fs::canonical(file.host));
  expect(found.size() >= 3, "hardly any library");
  // A preloaded library, as a sanitizer's or fakeroot's, is none that the program asks for.
  for (const std::string &path : found)
    expect(loaded.count(path), path + " is not loaded");
  if (!getenv("LD_PRELOAD"))
    expect_eq(found.size(), loaded.size());
}

static std::map<std::string, Found> guest_of_sample()
{
  fs::path sample = fs::canonical("/proc/self/exe").parent_path() / "vmtest_sample";
  Initramfs guest;
  guest.add_executable(sample, "/opt/bin/sample");
  return read_back(guest.bytes());
}

// $ORIGIN in the guest is where the executable lies there. LD_LIBRARY_PATH goes before RUNPATH, and
// does not hold in the guest.
TEST(libraries_beside_the_executable)
{
  const char *set = getenv("LD_LIBRARY_PATH"); // Meson sets it
  std::string old = set ? set : "";
  unsetenv("LD_LIBRARY_PATH");
  auto found = guest_of_sample();
  expect(found.count("opt/bin/libvmtest_sample.so") == 1, "the library is not beside it");
  expect(found.count("lib64/ld-linux-x86-64.so.2") == 1, "no loader");
  setenv("LD_LIBRARY_PATH", fs::canonical("/proc/self/exe").parent_path().c_str(), 1);
  found = guest_of_sample();
  expect(found.count("opt/bin/libvmtest_sample.so") == 0, "the library is beside it");
  fs::path loader_directory = fs::canonical("/lib64/ld-linux-x86-64.so.2").parent_path();
  fs::path library = loader_directory.relative_path() / "libvmtest_sample.so";
  expect(found.count(library) == 1, "the library is not in the loader's directory");
  if (set)
    setenv("LD_LIBRARY_PATH", old.c_str(), 1);
  else
    unsetenv("LD_LIBRARY_PATH");
}

TEST(executables_that_are_scripts)
{
  TemporaryDirectory here;
  write_file(here / "script", "#! /bin/sh -e\necho\n", 0755);
  write_file(here / "env", "#!/usr/bin/env sh\n", 0755);
  write_file(here / "lost", "#!/no/such/interpreter\n", 0755);
  Initramfs guest;
  guest.add_executable(here / "script", "/bin/script");
  guest.add_executable(here / "env", "/bin/env-script");
  auto found = read_back(guest.bytes());
  expect(found.count("bin/sh") == 1 && found.count("usr/bin/env") == 1);
  expect_throws([&] { guest.add_executable(here / "lost", "/bin/lost"); }, "/no/such/interpreter");
  write_file(here / "split", "#!/usr/bin/env -S A=b 'sed' -n -f\n", 0755);
  Initramfs other;
  other.add_executable(here / "split", "/bin/split");
  expect(other.bytes().find("bin/sed") != std::string::npos, "env -S is not understood");
  write_file(here / "dos", "#!/bin/sh\r\necho\r\n", 0755);
  expect_throws([&] { guest.add_executable(here / "dos", "/bin/dos"); }, "CR LF");
}

TEST(executables_that_are_damaged)
{
  TemporaryDirectory here;
  std::string good = read_file(fs::canonical("/proc/self/exe").parent_path() / "vmtest_sample");
  for (size_t size = 4; size < good.size(); size += 97) {
    write_file(here / "cut", good.substr(0, size));
    Initramfs guest;
    try {
      guest.add_executable(here / "cut", "/bin/cut");
    } catch (const initramfs_error &) {
      // Cut behind what the loader reads it is fine; before that it is told.
    }
  }
  write_file(here / "cut", good.substr(0, 100));
  Initramfs guest;
  expect_throws([&] { guest.add_executable(here / "cut", "/bin/cut"); }, "cut' is truncated");
}
