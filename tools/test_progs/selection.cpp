// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The selectors of the command line, parsed once and asked for every test and subtest.
#include "tools/test_progs/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace test
{

bool glob_match(std::string_view text, std::string_view pattern)
{
  // On a mismatch only the last '*' has to take one character more: linear in practice.
  size_t t = 0, p = 0;
  size_t star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      p++;
      t++;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

static std::string_view trim(std::string_view text)
{
  constexpr std::string_view blanks = " \t\r\n";
  size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

static std::vector<std::string_view> split(std::string_view text)
{
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    size_t end = text.find(',', begin);
    parts.push_back(trim(text.substr(begin, end - begin)));
    if (end == std::string_view::npos)
      return parts;
    begin = end + 1;
  }
}

static int parse_number(std::string_view text, std::string_view list)
{
  int value = 0;
  auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (err != std::errc() || end != text.data() + text.size() || value < 1)
    throw UsageError(fmt::format("-n '{}': '{}' is not a number from 1 on", list, text));
  return value;
}

NumberList::NumberList(std::string_view text)
{
  std::vector<std::string_view> parts = split(text);
  if (parts.size() > 1 && parts.back().empty())
    parts.pop_back(); // "1," as upstream's parser takes it
  for (std::string_view part : parts) {
    // A '-' in front is a sign and no range: the whole part is refused as a number.
    size_t dash = part.find('-', 1);
    int first = parse_number(trim(part.substr(0, dash)), text);
    int last =
        dash == std::string_view::npos ? first : parse_number(trim(part.substr(dash + 1)), text);
    if (last < first)
      throw UsageError(fmt::format("-n '{}': '{}' ends before it begins", text, part));
    x_ranges.emplace_back(first, last);
  }
}

bool NumberList::contains(int number) const
{
  return std::any_of(x_ranges.begin(), x_ranges.end(), [number](const auto &range) {
    return range.first <= number && number <= range.second;
  });
}

Selection::Entry Selection::parse_entry(std::string_view text, Match match)
{
  auto pattern = [match](std::string_view name) {
    return match == Match::substring ? fmt::format("*{}*", name) : std::string(name);
  };
  size_t slash = text.find('/');
  std::string_view test = trim(text.substr(0, slash));
  if (test.empty())
    throw UsageError(fmt::format("'{}' names no test", text));
  Entry entry{std::string(text), pattern(test), std::nullopt};
  if (slash != std::string_view::npos)
    entry.subtest = pattern(trim(text.substr(slash + 1)));
  return entry;
}

static std::vector<std::string> read_lines(const std::string &path)
{
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    std::string_view text = trim(std::string_view(line).substr(0, line.find('#')));
    if (!text.empty())
      lines.emplace_back(text);
  }
  if (!file.eof())
    throw UsageError(fmt::format("cannot read the list of tests '{}'", path));
  return lines;
}

std::vector<Selection::Entry> Selection::parse(std::string_view list, Match match)
{
  std::vector<Entry> entries;
  list = trim(list);
  if (list.starts_with('@')) {
    for (const std::string &line : read_lines(std::string(list.substr(1))))
      entries.push_back(parse_entry(line, match));
  } else {
    // Scripts make lists of files, and leave commas where comments and empty lines were.
    for (std::string_view name : split(list))
      if (!name.empty())
        entries.push_back(parse_entry(name, match));
  }
  return entries;
}

void Selection::allow(std::string_view list, Match match)
{
  auto entries = parse(list, match);
  // A list that is all comments must not turn into "everything".
  if (entries.empty())
    throw UsageError(fmt::format("'{}' names no test", list));
  x_allow.insert(x_allow.end(), entries.begin(), entries.end());
}

void Selection::deny(std::string_view list, Match match)
{
  auto entries = parse(list, match);
  x_deny.insert(x_deny.end(), entries.begin(), entries.end());
}

void Selection::number(std::string_view list)
{
  size_t slash = list.find('/');
  Numbers numbers{NumberList(list.substr(0, slash)), std::nullopt};
  if (slash != std::string_view::npos)
    numbers.subtests = NumberList(list.substr(slash + 1));
  x_numbers.push_back(std::move(numbers));
}

bool Selection::wants_test(const std::string &test, int number) const
{
  for (const Entry &entry : x_deny)
    if (!entry.subtest && entry.matches(test))
      return false;
  if (x_allow.empty() && x_numbers.empty())
    return true;
  for (const Entry &entry : x_allow)
    if (entry.matches(test))
      return true;
  return std::any_of(x_numbers.begin(), x_numbers.end(),
                     [number](const Numbers &n) { return n.tests.contains(number); });
}

bool Selection::wants_subtest(const std::string &test, int test_number, const std::string &subtest,
                              int number) const
{
  for (const Entry &entry : x_deny)
    if (entry.matches(test) && entry.matches_subtest(subtest))
      return false;
  if (x_allow.empty() && x_numbers.empty())
    return true;
  for (const Entry &entry : x_allow)
    if (entry.matches(test) && entry.matches_subtest(subtest))
      return true;
  return std::any_of(x_numbers.begin(), x_numbers.end(), [&](const Numbers &n) {
    return n.tests.contains(test_number) && (!n.subtests || n.subtests->contains(number));
  });
}

bool Selection::spells_out(const std::string &test) const
{
  return std::any_of(x_allow.begin(), x_allow.end(),
                     [&](const Entry &entry) { return entry.test == test; });
}

std::vector<std::string> Selection::unmatched(const std::vector<std::string> &names) const
{
  std::vector<std::string> result;
  for (const Entry &entry : x_allow)
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string &name) { return entry.matches(name); }))
      result.push_back(entry.text);
  return result;
}

} // namespace test
