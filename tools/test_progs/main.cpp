// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// test_progs: the tests of prog_tests/ and the hidden self-tests of the harness.
#include "tools/lib/probe.h"
#include "tools/test_progs/harness.h"

int main(int argc, char **argv) { return test::run_main(argc, argv, probe::bpf); }
