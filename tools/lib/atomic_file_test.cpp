// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/atomic_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
namespace fs = std::filesystem;

static int count_files(const std::string &directory)
{
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

TEST(file_is_replaced_whole)
{
  TemporaryDirectory here;
  write_file(here / "a", "old");
  chmod((here / "a").c_str(), 0640);
  write_file(here / "a", "new text");
  expect_eq(read_file(here / "a"), "new text");
  expect_eq(count_files(here.path()), 1);
  struct stat status;
  stat((here / "a").c_str(), &status);
  expect_eq(status.st_mode & 0777u, 0640u);
}

TEST(file_link_is_followed)
{
  TemporaryDirectory here;
  write_file(here / "target", "old");
  fs::create_symlink("target", here / "link");
  write_file(here / "link", "new");
  expect(fs::is_symlink(here / "link"));
  expect_eq(read_file(here / "target"), "new");
}

TEST(file_that_is_no_regular_file_is_not_replaced)
{
  write_file("/dev/null", "text");
  expect(fs::is_character_file("/dev/null"));
  expect_throws([] { write_file("/dev/full", "text"); }, "No space left");
  expect_throws([] { write_file("/", "text"); }, "Is a directory");
}

TEST(file_without_space_leaves_the_old_one)
{
  TemporaryDirectory here;
  write_file(here / "a", "old");
  // A limit on file size stands in for a full disk: write(2) fails in the middle.
  auto old_handler = signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit;
  getrlimit(RLIMIT_FSIZE, &old_limit);
  rlimit small = {1000, old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    write_file(here / "a", std::string(5000, 'x'));
  } catch (const std::exception &failure) {
    message = failure.what();
  }
  setrlimit(RLIMIT_FSIZE, &old_limit);
  signal(SIGXFSZ, old_handler);
  expect_has(message, "File too large");
  expect_eq(read_file(here / "a"), "old");
  expect_eq(count_files(here.path()), 1);
}

TEST(file_is_known_to_be_writable_before)
{
  TemporaryDirectory here;
  check_writable(here / "new");
  expect_eq(count_files(here.path()), 0);
  write_file(here / "old", "text");
  check_writable(here / "old");
  expect_eq(read_file(here / "old"), "text");
  check_writable("-");
  check_writable("/dev/null");
  expect_throws([&] { check_writable(here / "none/x"); }, "none/x': No such file");
  expect_throws([&] { check_writable(here.path()); }, "Is a directory");
}

TEST(file_that_cannot_be_read_is_named)
{
  TemporaryDirectory here;
  expect_throws([&] { read_file(here / "none"); }, "none'");
  expect_throws([&] { read_file(here.path()); }, "Is a directory");
  write_file(here / "a", std::string(100, 'x'));
  expect_throws([&] { read_file(here / "a", 99); }, "more than");
  expect_throws([&] { write_file(here / "no/such", ""); }, "no/such");
}
