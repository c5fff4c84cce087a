// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Pieces and lines of inputs: from files, pipes and texts, and where the pieces end.
#include "tools/lib/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tools/lib/atomic_file.h"
#include "tools/lib/fd.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;

static std::vector<std::string> all_lines(Input &input)
{
  std::vector<std::string> all;
  Lines lines(input);
  for (std::string_view line; lines.next(line);) {
    all.emplace_back(line);
    expect_eq(lines.number(), all.size());
  }
  return all;
}

static std::vector<std::string> lines_of(const std::string &text)
{
  Input input(text, "f");
  return all_lines(input);
}

TEST(input_lines)
{
  using Texts = std::vector<std::string>;
  expect(lines_of("").empty());
  expect(lines_of("\n") == Texts{""});
  expect(lines_of("a") == Texts{"a"});
  expect(lines_of("a\nb\r\n\nc") == Texts{"a", "b", "", "c"});
  expect(lines_of(std::string("a\0b\n", 4)) == Texts{std::string("a\0b", 3)});
}

TEST(input_lines_across_pieces_of_a_file)
{
  TemporaryDirectory here;
  std::string text;
  for (int i = 0; i < 40000; i++)
    text += fmt::format("line {}\n", i);
  write_file(here / "f", text);
  Input input(here / "f");
  expect_eq(*input.size(), text.size());
  expect_eq(input.head().substr(0, 7), "line 0\n");
  std::vector<std::string> lines = all_lines(input);
  expect_eq(lines.size(), 40000u);
  for (int i = 0; i < 40000; i++)
    expect_eq(lines[i], fmt::format("line {}", i));
}

TEST(input_line_without_end_is_cut)
{
  std::vector<std::string> lines = lines_of("x" + std::string(199999, 'x') + "\nshort\n");
  expect_eq(lines.size(), 2u);
  expect_eq(lines[0].size(), Lines::max_line);
  expect_eq(lines[1], std::string("short"));
}

TEST(input_of_a_pipe)
{
  TemporaryDirectory here;
  expect(mkfifo((here / "pipe").c_str(), 0600) == 0);
  std::thread writer([&] {
    Fd fd(open((here / "pipe").c_str(), O_WRONLY | O_CLOEXEC));
    for (const char *part : {"one\ntw", "o\nthr", "ee"})
      if (write(fd.get(), part, strlen(part)) < 0)
        return;
  });
  Input input(here / "pipe");
  std::vector<std::string> lines = all_lines(input);
  writer.join();
  expect(!input.size());
  expect(lines == std::vector<std::string>{"one", "two", "three"});
}

TEST(input_that_cannot_be_read)
{
  expect_throws([] { Input input("/nonexistent/f"); },
                "cannot read '/nonexistent/f': No such file or directory");
  expect_throws(
      [] {
        Input input("/");
        input.take();
      },
      "cannot read '/': Is a directory");
}

TEST(input_printable)
{
  expect_eq(printable("a\x1b\xb1z"), std::string("a??z"));
  expect_eq(printable("abcdef", 3), std::string("abc..."));
}
