// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Tests register themselves before main() into a list that is sorted and numbered on demand.
#include "tools/test_progs/registry.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace test
{

static std::vector<TestInfo> &registered()
{
  static std::vector<TestInfo> tests;
  return tests;
}

Register::Register(const char *name, const char *file, bool serial, Body body, bool hidden)
{
  registered().push_back({name, file, serial, hidden, body});
}

std::vector<TestInfo> all_tests()
{
  std::vector<TestInfo> tests = registered();
  std::sort(tests.begin(), tests.end(), [](const TestInfo &a, const TestInfo &b) {
    return std::tie(a.hidden, a.name) < std::tie(b.hidden, b.name);
  });
  int number = 0;
  const TestInfo *previous = nullptr;
  for (TestInfo &test : tests) {
    if (previous && previous->name == test.name)
      throw std::logic_error(
          fmt::format("two tests are named '{}': {} and {}", test.name, previous->file, test.file));
    test.number = ++number;
    previous = &test;
  }
  return tests;
}

} // namespace test
