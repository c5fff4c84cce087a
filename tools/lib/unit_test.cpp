// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/unit_test.h"

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {
#include <cmocka.h>
}

namespace unit_test
{

struct Case {
  const char *name;
  void (*body)();
};

static std::vector<Case> &cases()
{
  static std::vector<Case> list;
  return list;
}

Register::Register(const char *name, void (*body)()) { cases().push_back({name, body}); }

enum class Outcome { Passed, Skipped, Failed };

static Outcome run_body(const Case &test, char *why, size_t size)
{
  try {
    test.body();
    return Outcome::Passed;
  } catch (const Skip &skipped) {
    snprintf(why, size, "%s", skipped.what());
    return Outcome::Skipped;
  } catch (const std::exception &failure) {
    snprintf(why, size, "%s", failure.what());
  } catch (...) {
    snprintf(why, size, "threw something that is no std::exception");
  }
  return Outcome::Failed;
}

static size_t g_passed, g_skipped;

// Nothing with a destructor lives in this frame: fail_msg() and skip() do not come back.
static void boundary(void **state)
{
  char why[4096];
  switch (run_body(*static_cast<const Case *>(*state), why, sizeof(why))) {
  case Outcome::Passed:
    g_passed++;
    return;
  case Outcome::Skipped:
    g_skipped++;
    print_message("skipped: %s\n", why);
    skip();
    break;
  case Outcome::Failed:
    fail_msg("%s", why);
  }
}

static bool is_selected(const char *name, int argc, char **argv)
{
  bool selected = argc < 2;
  for (int i = 1; i < argc; i++)
    selected |= strstr(name, argv[i]) != nullptr;
  return selected;
}

} // namespace unit_test

int main(int argc, char **argv)
{
  std::vector<CMUnitTest> tests;
  for (unit_test::Case &test : unit_test::cases())
    if (unit_test::is_selected(test.name, argc, argv))
      tests.push_back({test.name, unit_test::boundary, nullptr, nullptr, &test});
  if (tests.empty()) {
    fprintf(stderr, "no test of that name\n");
    return 1;
  }
  int failed = _cmocka_run_group_tests("unit tests", tests.data(), tests.size(), nullptr, nullptr);
  // 77 is Meson's skip: where all were skipped, nothing was tested.
  bool nothing_ran = unit_test::g_passed == 0 && unit_test::g_skipped > 0;
  return failed == 0 && nothing_ran ? 77 : failed;
}
