// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which tests and subtests run: -t -a -b -d -n and @file.
//
// A test runs if no deny entry without a subtest part matches it and an allow entry or a number
// selects it, or if nothing is allowed nor numbered. Deny wins. Every entry counts for itself:
// "foo,foo/bar" runs all of foo.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace test
{

// A mistake in the command line: what() is shown, exit 64.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Whether pattern matches the whole text. '*' stands for any text, all else for itself.
bool glob_match(std::string_view text, std::string_view pattern);

// A list like "1,3-5": numbers from 1 on.
class NumberList {
public:
  // Throws UsageError for anything but digits, '-', ',' and blanks, for 0 and for "5-3".
  explicit NumberList(std::string_view text);
  bool contains(int number) const;

private:
  std::vector<std::pair<int, int>> x_ranges;
};

class Selection {
public:
  enum class Match { substring, glob };

  // list: names separated by commas, blanks around them ignored, or "@file" with an entry a line
  // and comments from '#' on. An entry is "test" or "test/subtest".
  // Throws UsageError for an empty list or entry, or a file that cannot be read.
  void allow(std::string_view list, Match match);
  void deny(std::string_view list, Match match);
  // "1,3-5" or "1,3-5/2": tests by number, the part after '/' their subtests.
  void number(std::string_view list);

  bool wants_test(const std::string &test, int number) const;
  // Asked only about tests that wants_test().
  bool wants_subtest(const std::string &test, int test_number, const std::string &subtest,
                     int number) const;
  // Whether an allow entry without any '*' is exactly this name.
  bool spells_out(const std::string &test) const;
  // Allow entries whose test part matches none of the names.
  std::vector<std::string> unmatched(const std::vector<std::string> &names) const;

private:
  struct Entry {
    std::string text;
    std::string test;
    std::optional<std::string> subtest;
    bool matches(const std::string &name) const { return glob_match(name, test); }
    bool matches_subtest(const std::string &name) const
    {
      return !subtest || glob_match(name, *subtest);
    }
  };
  struct Numbers {
    NumberList tests;
    std::optional<NumberList> subtests;
  };

  static std::vector<Entry> parse(std::string_view list, Match match);
  static Entry parse_entry(std::string_view text, Match match);

  std::vector<Entry> x_allow;
  std::vector<Entry> x_deny;
  std::vector<Numbers> x_numbers;
};

} // namespace test
