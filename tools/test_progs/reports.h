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

// Writes text to path, whole or not at all; straight into what is no regular file (a pipe, a
// device). Throws std::system_error.
void write_report(const std::string &path, const std::string &text);
// Whether write_report() has a chance: throws std::system_error if not. Leaves nothing behind.
void check_report(const std::string &path);

} // namespace test
