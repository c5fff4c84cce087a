// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/out_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/guest_files.h"

using namespace unit_test;
using namespace vmtest;
namespace fs = std::filesystem;

static Frame file(const std::string &path, size_t size)
{
  return {FrameKind::File, fmt::format(R"({{"path":"{}","size":{},"mode":420}})", path, size)};
}

static Frame data(const std::string &bytes) { return {FrameKind::FileData, bytes}; }

TEST(a_tree_goes_through_unchanged)
{
  TemporaryDirectory from, to;
  fs::create_directories(from / "a/b");
  fs::create_directory(from / "empty");
  std::string large(300000, 'x');
  write_file(from / "a/b/large", large);
  write_file(from / "none", "");
  write_file(from / "script", "#!/bin/sh\n", 0755);
  fs::create_symlink("script", from / "link");
  OutFiles out(to / "sub/dir");
  std::string remarks;
  guest::send_files(from.path(), [&](FrameKind kind, std::string_view payload) {
    if (kind == FrameKind::Remark)
      remarks += payload;
    else
      out.take({kind, std::string(payload)});
  });
  out.finish();
  expect_eq(read_file(to / "sub/dir/a/b/large"), large);
  expect_eq(read_file(to / "sub/dir/none"), "");
  expect(fs::is_directory(to / "sub/dir/empty"));
  struct stat info;
  expect_eq(stat((to / "sub/dir/script").c_str(), &info), 0);
  expect_eq(info.st_mode & 0111, 0111u & info.st_mode);
  expect(info.st_mode & 0100, "not executable");
  expect_eq(remarks, "$OUT/link is no regular file: left behind");
  expect_eq(out.files(), 3u);
  expect_eq(out.bytes(), 300010u);
}

TEST(names_do_not_lead_out)
{
  TemporaryDirectory to;
  for (const char *name :
       {"../x", "a/../../x", "/etc/x", "", ".", "a//b", "a/", "..", "a\\u0000b"}) {
    OutFiles out(to / "out");
    expect_throws([&] { out.take(file(name, 0)); }, "sent a file of the name");
  }
  expect(!fs::exists(to / "x"));
}

TEST(symbolic_links_are_not_followed)
{
  TemporaryDirectory to, elsewhere;
  fs::create_directory_symlink(elsewhere.path(), to / "link");
  fs::create_symlink(elsewhere / "victim", to / "file");
  OutFiles out(to.path());
  expect_throws([&] { out.take(file("link/x", 0)); }, "cannot write");
  expect(fs::is_empty(elsewhere.path()));
  out.take(file("file", 2));
  out.take(data("ok"));
  expect(fs::is_empty(elsewhere.path()), "followed");
  expect_eq(read_file(to / "file"), "ok");
}

TEST(what_is_not_whole_leaves_nothing)
{
  TemporaryDirectory to;
  write_file(to / "old", "old");
  {
    OutFiles out(to.path());
    out.take(file("old", 10));
    out.take(data("12345"));
    expect_throws([&] { out.finish(); }, "only in part");
  }
  {
    OutFiles out(to.path());
    out.take(file("b", 10));
    out.take(data("12345"));
  }
  {
    OutFiles out(to.path());
    out.take(file("c", 3));
    expect_throws([&] { out.take(data("1234")); }, "more of a file");
  }
  {
    OutFiles out(to.path());
    out.take(file("d", 3));
    expect_throws([&] { out.take(file("e", 3)); }, "only in part");
  }
  expect_eq(read_file(to / "old"), "old");
  expect_eq(std::distance(fs::directory_iterator(to.path()), fs::directory_iterator()), 1);
}

TEST(nonsense_from_the_guest_is_refused)
{
  TemporaryDirectory to;
  OutFiles out(to.path());
  expect_throws([&] { out.take({FrameKind::File, "{"}); }, "without a name");
  expect_throws([&] { out.take({FrameKind::File, "[]"}); }, "without a name");
  expect_throws([&] { out.take({FrameKind::File, R"({"path":7})"}); }, "");
  expect_throws([&] { out.take(data("x")); }, "more of a file");
}

static void send(const std::string &from, OutFiles &out, std::string &remarks)
{
  guest::send_files(from, [&](FrameKind kind, std::string_view payload) {
    if (kind == FrameKind::Remark)
      remarks += payload;
    else
      out.take({kind, std::string(payload)});
  });
  out.finish();
  out.set_modes();
}

TEST(names_holes_and_modes_of_directories_are_kept)
{
  TemporaryDirectory from, to;
  fs::create_directory(from / "closed");
  write_file(from / "closed/f", "x");
  chmod((from / "closed").c_str(), 0500);
  write_file(from / "a\377b", "odd");
  write_file(from / "sparse", "begin");
  fs::resize_file(from / "sparse", 64u << 20);
  OutFiles out(to.path());
  std::string remarks;
  send(from.path(), out, remarks);
  expect_eq(remarks, "");
  expect_eq(read_file(to / "a\377b"), "odd");
  expect_eq(read_file(to / "closed/f"), "x");
  struct stat info;
  expect_eq(stat((to / "closed").c_str(), &info), 0);
  expect_eq(info.st_mode & 0777, 0500u);
  for (const TemporaryDirectory *each : {&from, &to})
    chmod((*each / "closed").c_str(), 0700);
  expect_eq(stat((to / "sparse").c_str(), &info), 0);
  expect_eq(info.st_size, 64 << 20);
  struct stat source;
  stat((from / "sparse").c_str(), &source);
  expect(info.st_blocks <= source.st_blocks + 8, fmt::format("{} blocks", info.st_blocks));
  expect_eq(read_file(to / "sparse"), read_file(from / "sparse"));
}

TEST(a_hole_is_no_longer_than_its_file)
{
  TemporaryDirectory to;
  for (const char *length : {"4", "-1", "x", ""}) {
    OutFiles out(to.path());
    out.take(file("a", 3));
    expect_throws([&] { out.take({FrameKind::FileHole, length}); }, "more of a file");
  }
  OutFiles out(to.path());
  expect_throws([&] { out.take({FrameKind::FileHole, "1"}); }, "more of a file");
  expect(fs::is_empty(to.path()));
}

// A file that is lost costs no other one.
TEST(the_next_file_comes_after_one_that_broke_off)
{
  TemporaryDirectory to;
  OutFiles out(to.path());
  out.take(file("a", 3));
  expect_throws([&] { out.take(file("b", 1)); }, "only in part");
  out.take(file("c", 1));
  out.take(data("x"));
  out.finish();
  expect_eq(read_file(to / "c"), "x");
  expect(!fs::exists(to / "a"));
}
