// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The comparisons: every way in which two strings can be equal, differ or end.
#include "prog_tests/strncmp_checks.h"

#include <algorithm>

#include "prog_tests/model.h"
#include "tools/lib/probe.h"

namespace strncmp_test
{

namespace
{

using namespace std::string_literals;

std::string text(size_t length)
{
  std::string text(length, 'a');
  for (size_t i = 0; i < length; i++)
    text[i] = 'a' + i % 26;
  return text;
}

// s1 with its NUL, and size to take all of it.
Case whole(std::string s1, const std::string &target)
{
  s1.push_back('\0');
  uint32_t size = s1.size();
  return {std::move(s1), target, size};
}

std::vector<Case> equal_strings()
{
  std::vector<Case> cases;
  for (size_t length : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 255, 256, 257, 1000, 4094})
    cases.push_back(whole(text(length), text(length)));
  return cases;
}

// What upstream tests: a target of seven letters, one byte up or down at each place.
std::vector<Case> one_byte_differs()
{
  std::string target = "bpfgate";
  std::vector<Case> cases = {whole("", target)};
  for (size_t i = 0; i < target.size(); i++) {
    for (int by : {-1, 1}) {
      std::string s1 = target;
      s1[i] += by;
      cases.push_back(whole(s1, target));
    }
  }
  return cases;
}

std::vector<Case> far_byte_differs()
{
  std::vector<Case> cases;
  for (size_t at : {63, 64, 127, 128, 254, 255, 256, 257, 511, 512, 1023, 2048, 4093, 4094}) {
    for (int by : {-1, 1}) {
      std::string s1 = text(STRNCMP_MAX);
      s1[at] += by;
      cases.push_back({s1, text(STRNCMP_MAX), STRNCMP_MAX});
    }
  }
  return cases;
}

std::vector<Case> not_terminated_s1()
{
  return {{"bpfgatf", "bpfgate", 7},
          {"bpfgate", "bpfgate", 7},
          {"bpfgatd", "bpfgate", 7},
          {"bpfgate", "bpfgatee", 7},
          {"bpfgateX", "bpfgate", 8}};
}

std::vector<Case> size_ends_it()
{
  std::vector<Case> cases;
  std::string target = "bpfgate", s1 = "bpfXXXXX";
  for (uint32_t size = 1; size <= s1.size(); size++)
    cases.push_back({s1, target, size});
  for (uint32_t size : {1, 2, 100, 255, 256, 257, 4094})
    cases.push_back({text(size) + "z", text(size) + "a", size});
  return cases;
}

std::vector<Case> size_of_one()
{
  return {{"a", "a", 1}, {"a", "b", 1},  {"b", "a", 1}, {"\0"s, "a", 1},
          {"a", "", 1},  {"\0"s, "", 1}, {"a", "ab", 1}};
}

std::vector<Case> s1_is_shorter()
{
  std::vector<Case> cases;
  for (size_t length : {1, 2, 8, 16, 300, 4094}) {
    cases.push_back(whole(text(length - 1), text(length)));
    cases.push_back(whole("", text(length)));
  }
  return cases;
}

std::vector<Case> target_is_shorter()
{
  std::vector<Case> cases = {whole("a", ""), whole(text(4094), "")};
  for (size_t length : {1, 2, 8, 16, 300, 4093})
    cases.push_back(whole(text(length + 1), text(length)));
  return cases;
}

// After a NUL in both nothing counts, whatever the size.
std::vector<Case> nothing_after_the_nul()
{
  return {{"bpf\0zzzz"s, "bpf", 8},
          {"bpf\0\0\0\0\0"s, "bpf", 8},
          {"\0zzzzzzz"s, "", 8},
          {"bpf\0\xff\xff"s, "bpf", 6},
          {"bpf\0a"s, "bpf\0b"s, 5},
          {"bpf\0b"s, "bpf\0a"s, 5},
          {text(300) + "\0zz"s, text(300), 303}};
}

std::vector<Case> bytes_are_unsigned()
{
  std::vector<Case> cases;
  const unsigned char edges[] = {0x01, 0x7e, 0x7f, 0x80, 0x81, 0xfe, 0xff};
  for (unsigned char a : edges)
    for (unsigned char b : edges)
      cases.push_back({std::string(1, a), std::string(1, b), 1});
  cases.push_back(whole("", "\x80"));
  cases.push_back(whole("\x80", ""));
  cases.push_back(whole("caf\xc3\xa9", "cafe"));
  return cases;
}

// The first difference decides, later ones the other way do not.
std::vector<Case> first_difference_decides()
{
  return {{"azzz", "baaa", 4},
          {"baaa", "azzz", 4},
          {"aazb", "abaa", 4},
          {"abaa", "aazz", 4},
          {"a\x01\xff\xff", "a\x02\x01\x01", 4}};
}

std::vector<Case> every_alignment()
{
  std::vector<Case> cases;
  std::string base = text(20);
  for (uint32_t target_offset = 0; target_offset < STRNCMP_ALIGN; target_offset++) {
    for (uint32_t s1_offset = 0; s1_offset < STRNCMP_ALIGN; s1_offset++) {
      std::string s1 = base;
      s1[(s1_offset + target_offset) % 20] += 1 - 2 * (s1_offset & 1);
      cases.push_back({s1, base, 20, s1_offset, target_offset});
      cases.push_back({base, base, 20, s1_offset, target_offset});
    }
  }
  return cases;
}

std::vector<Case> random_strings()
{
  std::vector<Case> cases;
  model::Random random(model::seed_of("strncmp_random_strings"));
  for (int i = 0; i < 400; i++)
    cases.push_back(random_case(random.next()));
  return cases;
}

} // namespace

Case random_case(uint64_t seed)
{
  model::Random random(seed);
  // Short and long ones; few letters make common beginnings.
  size_t most = random.chance(60) ? 24 : STRNCMP_MAX;
  unsigned letters = random.chance(50) ? 2 : 255;
  size_t length = 1 + random.below(most);
  std::string s1(length, 0);
  for (char &c : s1)
    c = 254 + random.below(letters);
  std::string target = s1;
  for (uint64_t differences = random.below(4); differences; differences--)
    target[random.below(length)] += 1 + random.below(255);
  if (random.chance(20))
    target.resize(random.below(length + 1));
  if (random.chance(20))
    s1[random.below(length)] = 0;
  uint32_t size = random.chance(50) ? length : 1 + random.below(length);
  return {s1, target, size, uint32_t(random.below(STRNCMP_ALIGN)),
          uint32_t(random.below(STRNCMP_ALIGN))};
}

std::optional<std::string> wrong_with(const Case &c, Comparer &comparer)
{
  int64_t result = comparer.compare(c);
  // The helper returns an int, so more than that is wrong even where the sign is right.
  if (sign(result) == expected(c) && result == static_cast<int32_t>(result))
    return std::nullopt;
  return fmt::format("{} gave {}, the sign must be {}", show(c), result, expected(c));
}

std::optional<std::string> run_check(const Check &check, Comparer &comparer)
{
  for (const Case &c : check.cases())
    if (auto wrong = wrong_with(c, comparer))
      return wrong;
  return std::nullopt;
}

const std::vector<Check> &checks()
{
  static const std::vector<Check> all = {
      // subtests of: strncmp_checks
      // covers: strncmp T1
      {"equal_strings", equal_strings},
      // covers: strncmp T1
      {"one_byte_differs", one_byte_differs},
      // covers: strncmp N2
      {"far_byte_differs", far_byte_differs},
      // covers: strncmp T1
      {"not_terminated_s1", not_terminated_s1},
      // covers: strncmp N1
      {"size_ends_it", size_ends_it},
      // covers: strncmp N1
      {"size_of_one", size_of_one},
      // covers: strncmp N1
      {"s1_is_shorter", s1_is_shorter},
      // covers: strncmp N1
      {"target_is_shorter", target_is_shorter},
      // covers: strncmp N1
      {"nothing_after_the_nul", nothing_after_the_nul},
      // covers: strncmp N2
      {"bytes_are_unsigned", bytes_are_unsigned},
      {"first_difference_decides", first_difference_decides},
      // covers: strncmp N5
      {"every_alignment", every_alignment},
      // covers: strncmp N2
      {"random_strings", random_strings},
  };
  return all;
}

} // namespace strncmp_test

TEST(strncmp_checks)
{
  test::require(probe::helper_strncmp);
  test::require(probe::test_run);
  strncmp_test::Kernel kernel;
  for (const auto &check : strncmp_test::checks()) {
    SUBTEST_NAMED(check.name)
    {
      if (auto wrong = strncmp_test::run_check(check, kernel))
        test::fail("strncmp_checks", __LINE__, check.name, *wrong);
    };
  }
}
