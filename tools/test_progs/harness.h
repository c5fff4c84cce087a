// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The main() of a program made of tests.
#pragma once

#include <optional>
#include <string>

namespace test
{

// missing: says why no test at all can run here, or nothing. Returns the exit code:
// 0 passed, 1 failed, 2 nothing selected (1 with --ktap), 3 the harness itself failed, 4 nothing
// could run here, 64 usage, 128 + signal when ended early; with --meson 77 for 4, 99 for 2, 3
// and 64.
int run_main(int argc, char **argv, std::optional<std::string> (*missing)());

} // namespace test
