// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which tests the selectors of the command line mean, the traps of upstream's parser included.
#include "tools/test_progs/selection.h"

#include <fstream>

#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using test::glob_match;
using test::Selection;
using unit_test::expect;
using unit_test::expect_eq;
using unit_test::expect_throws;
using Match = Selection::Match;

TEST(glob_knows_only_the_star)
{
  expect(glob_match("lpm_trie", "lpm_trie"), "itself");
  expect(glob_match("lpm_trie", "*"), "star");
  expect(glob_match("lpm_trie", "l*e"), "inside");
  expect(glob_match("aXbXc", "a*X*c"), "two stars");
  expect(glob_match("", "**"), "empty");
  expect(glob_match("abcabd", "*abd"), "second try");
  expect(!glob_match("lpm_trie", "lpm"), "only the whole name");
  expect(!glob_match("lpm_trie", "lpm_tri?"), "no question mark");
  expect(!glob_match("a", "[a]"), "no brackets");
  expect(!glob_match("", "a"), "empty text");
}

TEST(everything_without_selectors)
{
  Selection all;
  expect(all.wants_test("foo", 1) && all.wants_subtest("foo", 1, "bar", 1));
}

TEST(name_means_substring_and_allow_the_whole)
{
  Selection name, allow;
  name.allow("oo", Match::substring);
  allow.allow("oo", Match::glob);
  expect(name.wants_test("foo", 1), "-t");
  expect(!allow.wants_test("foo", 1), "-a");
}

TEST(a_whole_test_is_not_narrowed_by_a_later_subtest)
{
  for (const char *list : {"foo,foo/bar", "foo/bar,foo"}) {
    Selection s;
    s.allow(list, Match::substring);
    expect(s.wants_subtest("foo", 1, "bar", 1) && s.wants_subtest("foo", 1, "other", 2), list);
  }
}

TEST(deny_of_a_test_is_not_narrowed_by_a_subtest)
{
  Selection s;
  s.deny("foo,foo/bar", Match::glob);
  expect(!s.wants_test("foo", 1));
}

TEST(subtest_selectors_go_by_name)
{
  Selection s;
  s.allow("foo/ba*", Match::glob);
  expect(s.wants_test("foo", 1), "its test");
  expect(s.wants_subtest("foo", 1, "bar", 7), "matching");
  expect(!s.wants_subtest("foo", 1, "other", 1), "not matching");
  expect(!s.wants_test("food", 2), "another test");
}

TEST(a_slash_belongs_to_the_subtest_from_the_second_on)
{
  Selection s;
  s.allow("foo/a/b", Match::glob);
  expect(s.wants_subtest("foo", 1, "a/b", 1));
}

TEST(deny_wins)
{
  Selection s;
  s.allow("foo", Match::glob);
  s.number("1");
  s.deny("fo", Match::substring);
  expect(!s.wants_test("foo", 1));
}

TEST(deny_of_a_subtest_keeps_the_others)
{
  Selection s;
  s.deny("foo/bar", Match::glob);
  expect(s.wants_test("foo", 1) && s.wants_subtest("foo", 1, "other", 1), "the others");
  expect(!s.wants_subtest("foo", 1, "bar", 2), "the one");
}

TEST(blanks_around_commas_do_not_count)
{
  Selection s;
  s.allow(" foo ,\tbar / baz ", Match::glob);
  expect(s.wants_test("foo", 1) && s.wants_subtest("bar", 2, "baz", 1));
}

TEST(empty_names_in_a_list_are_skipped)
{
  for (const char *list : {"foo,bar,", ",foo,bar", "foo,,bar", " , foo ,bar\n,"}) {
    Selection allow, deny;
    allow.allow(list, Match::substring);
    deny.deny(list, Match::substring);
    for (const char *name : {"foo", "bar", "other"}) {
      expect_eq(allow.wants_test(name, 1), std::string(name) != "other");
      expect_eq(deny.wants_test(name, 1), std::string(name) == "other");
    }
  }
}

TEST(an_empty_list_denies_nothing_and_does_not_allow_everything)
{
  for (const char *list : {"", " ", ",", ",,\t,"}) {
    Selection s;
    s.deny(list, Match::glob);
    expect(s.wants_test("foo", 1), list);
    expect_throws([list] { Selection().allow(list, Match::substring); }, "names no test");
  }
}

TEST(a_subtest_without_its_test_is_refused)
{
  for (const char *list : {"/sub", "foo,/sub"})
    expect_throws([list] { Selection().allow(list, Match::substring); }, "names no test");
}

TEST(numbers_are_lists_of_ranges)
{
  Selection s;
  s.number("1, 3-5,");
  for (int number = 1; number <= 6; number++)
    expect_eq(s.wants_test("x", number), number == 1 || (number >= 3 && number <= 5));
}

TEST(numbers_and_names_add_up)
{
  Selection s;
  s.allow("foo", Match::glob);
  s.number("7");
  expect(s.wants_test("foo", 1) && s.wants_test("bar", 7) && !s.wants_test("bar", 8), "tests");
  expect(s.wants_subtest("bar", 7, "any", 3), "a numbered test brings its subtests");
}

TEST(subtests_by_number)
{
  Selection s;
  s.number("2/1,3");
  expect(s.wants_subtest("x", 2, "a", 1) && s.wants_subtest("x", 2, "a", 3), "chosen");
  expect(!s.wants_subtest("x", 2, "a", 2), "not chosen");
}

TEST(nonsense_numbers_are_refused)
{
  for (const char *list : {"-1", "0", "", ",", ",1", "1,,2", "x", "1x", "5-3", "1-", "-", "--2",
                           "1/", "1/0", "1/2/3", "99999999999", "+1", "1 2"})
    expect_throws([list] { Selection().number(list); }, "-n '");
}

static void write(const std::string &path, const std::string &text) { std::ofstream(path) << text; }

TEST(a_file_has_one_entry_a_line)
{
  TemporaryDirectory scratch;
  write(scratch / "list", "# comment\n\nx\n  foo/bar, baz   # why\nlast");
  Selection s;
  s.allow("@" + scratch / "list", Match::glob);
  expect(s.wants_test("x", 1), "a name of one character");
  expect(s.wants_subtest("foo", 2, "bar, baz", 1), "a comma is part of the line");
  expect(s.wants_test("last", 3), "no newline at the end");
  expect(!s.wants_test("comment", 4), "a comment");
}

TEST(files_add_up_and_may_deny)
{
  TemporaryDirectory scratch;
  write(scratch / "a", "foo\nbar\n");
  write(scratch / "b", "ba\n");
  Selection s;
  s.allow("@" + (scratch / "a"), Match::glob);
  s.deny("@" + scratch / "b", Match::substring);
  expect(s.wants_test("foo", 1) && !s.wants_test("bar", 2));
}

TEST(a_file_that_cannot_be_read_is_refused)
{
  TemporaryDirectory scratch;
  expect_throws([&] { Selection().allow("@" + scratch / "none", Match::glob); },
                "cannot read the list of tests");
  expect_throws([&] { Selection().deny("@" + scratch / "", Match::glob); },
                "cannot read the list of tests");
}

TEST(a_file_without_names_does_not_allow_everything)
{
  TemporaryDirectory scratch;
  write(scratch / "list", "# nothing\n");
  expect_throws([&] { Selection().allow("@" + scratch / "list", Match::glob); }, "names no test");
  Selection().deny("@" + scratch / "list", Match::glob); // denying nothing is fine
}

TEST(hidden_tests_are_named_whole)
{
  Selection glob, substring, exact;
  glob.allow("self*", Match::glob);
  substring.allow("selftest", Match::substring);
  exact.allow("selftest/sub", Match::glob);
  expect(!glob.spells_out("selftest") && !substring.spells_out("selftest"), "patterns");
  expect(exact.spells_out("selftest"), "the name");
}

TEST(entries_that_match_nothing_are_told)
{
  Selection s;
  s.allow("foo,typo/x", Match::glob);
  auto unmatched = s.unmatched({"foo", "bar"});
  expect_eq(unmatched.size(), 1u);
  expect_eq(unmatched[0], "typo/x");
}
