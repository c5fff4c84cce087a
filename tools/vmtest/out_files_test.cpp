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
