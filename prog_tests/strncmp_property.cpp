// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bpf_strncmp against the C library's strncmp on random strings: lengths to 4095, any bytes, NULs
// anywhere, every alignment. A failure prints the seed and the smallest comparison found.
#include "prog_tests/model.h"
#include "prog_tests/strncmp_checks.h"
#include "tools/lib/probe.h"

namespace
{

using strncmp_test::Case;

// Simpler versions of a case, the boldest first.
std::vector<Case> simpler(const Case &c)
{
  std::vector<Case> cases;
  auto add = [&](auto change) {
    Case changed = c;
    change(changed);
    changed.size = std::min<uint32_t>(changed.size, changed.s1.size());
    if (changed.size)
      cases.push_back(changed);
  };
  for (size_t cut = c.s1.size() / 2; cut; cut /= 2) {
    add([&](Case &x) { x.s1.erase(x.s1.size() - cut); });
    add([&](Case &x) { x.target.erase(x.target.size() - std::min(cut, x.target.size())); });
    add([&](Case &x) {
      x.s1.erase(0, cut);
      x.target.erase(0, cut);
      x.size -= std::min<uint32_t>(cut, x.size);
    });
  }
  add([](Case &x) { x.s1_offset = 0; });
  add([](Case &x) { x.target_offset = 0; });
  return cases;
}

size_t weight(const Case &c)
{
  return c.s1.size() + c.target.size() + c.s1_offset + c.target_offset;
}

Case shrink(Case failed, strncmp_test::Comparer &comparer)
{
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const Case &c : simpler(failed)) {
      if (weight(c) < weight(failed) && strncmp_test::wrong_with(c, comparer)) {
        failed = c;
        smaller = true;
        break;
      }
    }
  }
  return failed;
}

// The smallest wrong comparison among nr_cases random ones, if there is a wrong one.
std::optional<Case> find_wrong(const char *name, unsigned nr_cases,
                               strncmp_test::Comparer &comparer)
{
  model::Random random(model::seed_of(name));
  for (unsigned i = 0; i < nr_cases; i++) {
    Case c = strncmp_test::random_case(random.next());
    if (strncmp_test::wrong_with(c, comparer))
      return shrink(c, comparer);
  }
  return std::nullopt;
}

void check_random(const char *name, unsigned nr_cases)
{
  strncmp_test::Kernel kernel;
  if (auto wrong = find_wrong(name, nr_cases, kernel))
    test::fail("check_random", __LINE__, name,
               fmt::format("{}; replay with --seed {}", *strncmp_test::wrong_with(*wrong, kernel),
                           test::seed()));
}

// Takes bytes for signed, from the fifth on.
class SignedFromTheFifth : public strncmp_test::Comparer {
public:
  int64_t compare(const Case &c) override
  {
    for (uint32_t i = 0; i < c.size; i++) {
      char a = c.s1[i], b = i < c.target.size() ? c.target[i] : 0;
      if (a != b)
        return i < 4 ? int(uint8_t(a)) - uint8_t(b) : static_cast<signed char>(a) - b;
      if (!a)
        break;
    }
    return 0;
  }
};

} // namespace

// covers: strncmp N2, strncmp N1
TEST(strncmp_property)
{
  test::require(probe::helper_strncmp);
  test::require(probe::test_run);
  SUBTEST(random_strings) { check_random("strncmp_property", 3000); };
  // One target, many sizes and offsets: every size there is.
  SUBTEST(every_size)
  {
    strncmp_test::Kernel kernel;
    std::string target(STRNCMP_MAX, '\xfe'), s1 = target;
    s1[2000] = '\xff';
    for (uint32_t size = 1; size <= STRNCMP_MAX; size++) {
      auto wrong = strncmp_test::wrong_with({s1, target, size, size % STRNCMP_ALIGN}, kernel);
      if (wrong)
        throw test::Failure{*wrong};
    }
  };
}

// A wrong comparison is found and shrunk to the fifth byte, and that case is wrong again.
TEST(strncmp_property_finds)
{
  SignedFromTheFifth comparer;
  auto wrong = find_wrong("strncmp_property_finds", 2000, comparer);
  REQUIRE(wrong.has_value());
  test::log(strncmp_test::show(*wrong) + "\n");
  CHECK(strncmp_test::wrong_with(*wrong, comparer).has_value());
  CHECK_EQ(wrong->s1.size(), 5U);
  CHECK(wrong->target.size() <= 5);
  CHECK_EQ(wrong->s1_offset + wrong->target_offset, 0U);
}
