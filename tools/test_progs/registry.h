// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// All tests that are linked into this program, in the order in which they are numbered.
#pragma once

#include <string>
#include <vector>

#include "tools/test_progs/test_progs.h"

namespace test
{

struct TestInfo {
  std::string name;
  std::string file;
  bool serial;
  bool hidden; // a self-test of the harness: runs only where -a spells its whole name
  Body body;
  int number = 0; // 1-based; hidden tests come last, so that they never shift the others
};

// Sorted by name and numbered. Throws std::logic_error where two tests share a name.
std::vector<TestInfo> all_tests();

} // namespace test
