// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Strict numbers, the nearest name and small files.
#include "tools/lib/text.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clocale>
#include <csignal>

#include "tools/lib/atomic_file.h"
#include "tools/lib/fd.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;

TEST(text_range_has_two_ends)
{
  using Ends = std::pair<std::string, std::string>;
  expect(range_ends("5") == Ends("1", "5") && range_ends("6-10") == Ends("6", "10"));
  expect(range_ends("-6") == Ends("1", "-6") && range_ends("6-") == Ends("6", ""));
}

TEST(text_whole_number_is_all_of_the_text)
{
  expect_eq(parse_whole("0").value(), 0u);
  expect_eq(parse_whole("0012").value(), 12u);
  expect_eq(parse_whole("18446744073709551615").value(), UINT64_MAX);
  for (const char *text :
       {"", " ", "5x", "x5", " 5", "5 ", "-1", "+1", "1.0", "1e3", "0x10", "18446744073709551616"})
    expect(!parse_whole(text), text);
}

TEST(text_number_is_finite_and_all_of_the_text)
{
  expect_eq(parse_number("30").value(), 30.0);
  expect_eq(parse_number("-0.5").value(), -0.5);
  expect_eq(parse_number("1e3").value(), 1000.0);
  for (const char *text :
       {"", "nan", "-nan", "inf", "-inf", "1e999", "1,5", "+1", " 1", "1 ", "1.5%", "0x1p3", "."})
    expect(!parse_number(text), text);
}

TEST(text_number_does_not_follow_the_locale)
{
  std::string old = setlocale(LC_ALL, nullptr);
  setlocale(LC_ALL, "de_DE.UTF-8"); // where it is not installed this changes nothing
  auto point = parse_number("1.5"), comma = parse_number("1,5");
  setlocale(LC_ALL, old.c_str());
  expect_eq(point.value(), 1.5);
  expect(!comma);
}

TEST(text_nearest_name_is_near)
{
  std::vector<std::string> names{"bloom-lookup", "lpm-trie-lookup", "lpm-trie-noop", "htab-mem"};
  expect_eq(nearest_name("lpm-tri-lokup", names).value(), std::string("lpm-trie-lookup"));
  expect_eq(nearest_name("htabmem", names).value(), std::string("htab-mem"));
  expect_eq(nearest_name("htab-mem", names).value(), std::string("htab-mem"));
  expect(!nearest_name("ringbuf", names));
  expect(!nearest_name("", names));
  expect(!nearest_name("htab", {}));
}

TEST(text_small_file_is_read_or_absent)
{
  TemporaryDirectory here;
  write_file(here / "a", "some text \n\t\n");
  write_file(here / "empty", "");
  write_file(here / "space", " \n");
  expect_eq(read_small_file(here / "a").value(), std::string("some text"));
  expect_eq(read_small_file(here / "empty").value(), std::string(""));
  expect_eq(read_small_file(here / "space").value(), std::string(""));
  expect(!read_small_file(here / "none"));
  // Opens, and fails to read: no empty text.
  expect(!read_small_file(here.path()), "a directory");
}

TEST(text_of_a_process_that_went_away)
{
  pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  expect(child > 0, "fork");
  std::string directory = "/proc/" + std::to_string(child);
  Fd stat(open((directory + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  expect(read_if_there(directory + "/stat").value().starts_with(std::to_string(child)));
  expect(!names_if_there(directory + "/fd").empty());
  kill(child, SIGKILL);
  expect_eq(waitpid(child, nullptr, 0), child);
  // Opened while it was there: read() says ESRCH, where an ifstream's iterator throws.
  expect(!read_if_there(stat.get()), "of a process that is gone");
  expect(!read_if_there(directory + "/stat"));
  expect(!read_small_file(directory + "/stat"));
  expect(names_if_there(directory + "/fd").empty());
}

// Of the authors' test vectors.
TEST(text_fnv1a)
{
  expect_eq(fnv1a(""), 0xcbf29ce484222325u);
  expect_eq(fnv1a("a"), 0xaf63dc4c8601ec8cu);
  expect_eq(fnv1a("foobar"), 0x85944171f73967e8u);
}
