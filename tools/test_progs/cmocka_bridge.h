// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The boundary to cmocka: a test body runs as a cmocka unit test.
#pragma once

#include <functional>

#include "tools/test_progs/results.h"

namespace test
{

// Runs body (see run_body) as the cmocka unit test `name` and gives what cmocka made of it: a body
// that failed must have failed there too. cmocka's own lines are not shown.
Outcome run_as_cmocka_test(const char *name, const std::function<Outcome()> &body);

} // namespace test
