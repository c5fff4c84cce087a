// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Named claims about bpf_strncmp, each a list of comparisons whose sign must be the C library's.
// They hold for the kernel's helper and must catch comparisons that are wrong on purpose.
#pragma once

#include <optional>
#include <vector>

#include "prog_tests/strncmp.h"

namespace strncmp_test
{

struct Check {
  const char *name;
  std::vector<Case> (*cases)();
};

const std::vector<Check> &checks();

// The first comparison that goes wrong, in words; nothing if none does.
std::optional<std::string> run_check(const Check &check, Comparer &comparer);

// What is wrong with this one.
std::optional<std::string> wrong_with(const Case &c, Comparer &comparer);

// Case number n from a random seed: lengths to STRNCMP_MAX, any bytes, any alignment, with common
// beginnings long enough to matter.
Case random_case(uint64_t seed);

} // namespace strncmp_test
