// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// test_progs: the tests of prog_tests/ and the hidden self-tests of the harness.
#include "tools/test_progs/harness.h"

static std::optional<std::string> nothing_missing() { return std::nullopt; }

int main(int argc, char **argv) { return test::run_main(argc, argv, nothing_missing); }
