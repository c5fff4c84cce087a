// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The test of the tests: comparisons that are wrong on purpose, each of which some named check of
// strncmp_checks.cpp must catch.
#include "prog_tests/strncmp_checks.h"
#include "tools/test_progs/test_progs.h"

namespace
{

using strncmp_test::Case;

using Bytes = const unsigned char *;

// What a right helper does, byte by byte; a mutant differs in one place.
int64_t right(Bytes s1, uint32_t size, Bytes target)
{
  for (uint32_t i = 0; i < size; i++) {
    if (s1[i] != target[i])
      return s1[i] - target[i];
    if (!s1[i])
      break;
  }
  return 0;
}

int64_t always_zero(Bytes, uint32_t, Bytes) { return 0; }

int64_t equal_or_not(Bytes s1, uint32_t size, Bytes target) { return right(s1, size, target) != 0; }

int64_t swapped(Bytes s1, uint32_t size, Bytes target) { return -right(s1, size, target); }

int64_t signed_bytes(Bytes s1, uint32_t size, Bytes target)
{
  for (uint32_t i = 0; i < size; i++) {
    if (s1[i] != target[i])
      return static_cast<signed char>(s1[i]) - static_cast<signed char>(target[i]);
    if (!s1[i])
      break;
  }
  return 0;
}

int64_t difference_in_a_byte(Bytes s1, uint32_t size, Bytes target)
{
  return static_cast<signed char>(right(s1, size, target));
}

int64_t difference_unsigned(Bytes s1, uint32_t size, Bytes target)
{
  return static_cast<uint32_t>(right(s1, size, target));
}

int64_t ignores_size(Bytes s1, uint32_t, Bytes target)
{
  return right(s1, 4 * STRNCMP_MAX, target);
}

int64_t stops_one_early(Bytes s1, uint32_t size, Bytes target)
{
  return right(s1, size - 1, target);
}

int64_t goes_one_further(Bytes s1, uint32_t size, Bytes target)
{
  return right(s1, size + 1, target);
}

int64_t equal_beyond_255(Bytes s1, uint32_t size, Bytes target)
{
  return right(s1, std::min(size, 255U), target);
}

int64_t zero_for_long_sizes(Bytes s1, uint32_t size, Bytes target)
{
  return size > 255 ? 0 : right(s1, size, target);
}

int64_t size_in_a_byte(Bytes s1, uint32_t size, Bytes target)
{
  return right(s1, static_cast<uint8_t>(size), target);
}

int64_t goes_on_after_nul(Bytes s1, uint32_t size, Bytes target)
{
  for (uint32_t i = 0; i < size; i++)
    if (s1[i] != target[i])
      return s1[i] - target[i];
  return 0;
}

int64_t end_of_s1_is_equal(Bytes s1, uint32_t size, Bytes target)
{
  for (uint32_t i = 0; i < size && s1[i]; i++)
    if (s1[i] != target[i])
      return s1[i] - target[i];
  return 0;
}

int64_t end_of_target_is_equal(Bytes s1, uint32_t size, Bytes target)
{
  for (uint32_t i = 0; i < size && target[i]; i++)
    if (s1[i] != target[i])
      return s1[i] - target[i];
  return 0;
}

int64_t last_difference(Bytes s1, uint32_t size, Bytes target)
{
  int64_t result = 0;
  for (uint32_t i = 0; i < size && s1[i] && target[i]; i++)
    result = s1[i] != target[i] ? s1[i] - target[i] : result;
  return result ? result : right(s1, size, target);
}

int64_t sum_of_differences(Bytes s1, uint32_t size, Bytes target)
{
  int64_t sum = 0;
  for (uint32_t i = 0; i < size && s1[i] && target[i]; i++)
    sum += s1[i] - target[i];
  return sum ? sum : right(s1, size, target);
}

int64_t letters_of_any_case(Bytes s1, uint32_t size, Bytes target)
{
  for (uint32_t i = 0; i < size; i++) {
    int a = s1[i] | 0x20, b = target[i] | 0x20;
    if (a != b)
      return a - b;
    if (!s1[i])
      break;
  }
  return 0;
}

int64_t whole_words_only(Bytes s1, uint32_t size, Bytes target)
{
  return right(s1, size & ~3U, target);
}

int64_t first_byte_skipped(Bytes s1, uint32_t size, Bytes target)
{
  return right(s1 + 1, size - 1, target + 1);
}

int64_t shorter_one_is_smaller(Bytes s1, uint32_t size, Bytes target)
{
  auto a = strnlen(reinterpret_cast<const char *>(s1), size);
  auto b = strnlen(reinterpret_cast<const char *>(target), size);
  return a != b ? int64_t(a) - int64_t(b) : right(s1, size, target);
}

int64_t wider_than_an_int(Bytes s1, uint32_t size, Bytes target)
{
  return right(s1, size, target) << 32;
}

class Mutant : public strncmp_test::Comparer {
public:
  using Function = int64_t (*)(Bytes, uint32_t, Bytes);
  explicit Mutant(Function function) : x_function(function) {}
  int64_t compare(const Case &c) override
  {
    // Room for those that read on: zeros after the target, as in the kernel's map, not after s1.
    std::string s1 = c.s1 + std::string(5 * STRNCMP_MAX, '\xa5');
    std::string target = c.target + std::string(5 * STRNCMP_MAX, '\0');
    return x_function(Bytes(s1.data()), c.size, Bytes(target.data()));
  }

private:
  Function x_function;
};

// Sees strings that do not begin at a word one byte shifted.
class Misaligned : public strncmp_test::Comparer {
public:
  explicit Misaligned(bool target) : x_target(target) {}
  int64_t compare(const Case &c) override
  {
    bool odd = (x_target ? c.target_offset : c.s1_offset) % 8 == 7;
    Case seen = c;
    if (odd)
      std::swap(seen.s1.front(), seen.s1.back());
    return strncmp_test::expected(seen);
  }

private:
  bool x_target;
};

struct NamedMutant {
  const char *name;
  Mutant::Function function;
};

#define MUTANT(name)                                                                               \
  {                                                                                                \
#name, name                                                                                    \
  }

const NamedMutant mutants[] = {
    MUTANT(always_zero),       MUTANT(equal_or_not),         MUTANT(swapped),
    MUTANT(signed_bytes),      MUTANT(difference_in_a_byte), MUTANT(difference_unsigned),
    MUTANT(ignores_size),      MUTANT(stops_one_early),      MUTANT(goes_one_further),
    MUTANT(equal_beyond_255),  MUTANT(zero_for_long_sizes),  MUTANT(size_in_a_byte),
    MUTANT(goes_on_after_nul), MUTANT(end_of_s1_is_equal),   MUTANT(end_of_target_is_equal),
    MUTANT(last_difference),   MUTANT(sum_of_differences),   MUTANT(letters_of_any_case),
    MUTANT(whole_words_only),  MUTANT(first_byte_skipped),   MUTANT(shorter_one_is_smaller),
    MUTANT(wider_than_an_int),
};

void check_caught(const char *name, strncmp_test::Comparer &mutant)
{
  std::string caught;
  for (const auto &check : strncmp_test::checks())
    if (strncmp_test::run_check(check, mutant))
      caught += fmt::format(" {}", check.name);
  test::log(fmt::format("{}: caught by{}\n", name, caught.empty() ? " none" : caught));
  CHECK(!caught.empty());
}

} // namespace

TEST(strncmp_mutants)
{
  for (const NamedMutant &mutant : mutants) {
    SUBTEST_NAMED(mutant.name)
    {
      Mutant wrong(mutant.function);
      check_caught(mutant.name, wrong);
    };
  }
  SUBTEST(s1_misaligned)
  {
    Misaligned wrong(false);
    check_caught("s1_misaligned", wrong);
  };
  SUBTEST(target_misaligned)
  {
    Misaligned wrong(true);
    check_caught("target_misaligned", wrong);
  };
  // What the mutants are derived from passes: it is the one change that is caught.
  SUBTEST(the_right_one_passes)
  {
    Mutant unchanged(right);
    for (const auto &check : strncmp_test::checks())
      CHECK(!strncmp_test::run_check(check, unchanged));
  };
}
