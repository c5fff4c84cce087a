// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The checks of lpm_trie_checks.cpp on the kernel's trie: by system calls, and by BPF helpers.
#include "prog_tests/lpm_trie_checks.h"
#include "prog_tests/map_ops_bpf.h"

TEST(lpm_trie_ops) { map_test::run_checks(lpm_test::checks(), map_test::by_syscall); }

TEST(lpm_trie_ops_bpf) { map_test::run_checks(lpm_test::checks(), map_test::by_helper); }
