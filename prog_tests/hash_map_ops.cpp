// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The checks of hash_map_checks.cpp on the kernel's map: preallocated or not, by system calls and
// by BPF helpers.
#include "prog_tests/hash_map_checks.h"
#include "prog_tests/map_ops_bpf.h"

TEST(hash_map_ops) { map_test::run_checks(hash_test::checks(0), map_test::by_syscall); }

TEST(hash_map_ops_no_prealloc)
{
  map_test::run_checks(hash_test::checks(BPF_F_NO_PREALLOC), map_test::by_syscall);
}

TEST(hash_map_ops_bpf) { map_test::run_checks(hash_test::checks(0), map_test::by_helper); }

TEST(hash_map_ops_bpf_no_prealloc)
{
  map_test::run_checks(hash_test::checks(BPF_F_NO_PREALLOC), map_test::by_helper);
}
