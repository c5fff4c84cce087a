// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The reports that are files: -J and --junit.
#pragma once

#include <string>

#include "tools/test_progs/results.h"

namespace test
{

// One line of JSON: upstream's members as upstream writes them, and ours beside them (see
// docs/test_progs.md).
std::string json_report(const RunResult &run, int exit_code);

// One <testsuite> a test, one <testcase> a subtest.
std::string junit_report(const RunResult &run);

} // namespace test
