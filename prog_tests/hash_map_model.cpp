// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Random operation sequences on hash maps of several key sizes, preallocated and not, against
// std::map. A failure prints its seed and a shrunk sequence.
#include "prog_tests/hash_map_checks.h"
#include "prog_tests/map_ops_bpf.h"

using hash_test::Op;

static void check_sizes(const char *name, uint32_t flags, const map_test::Maker &make)
{
  for (uint32_t key_size : {1U, 2U, 3U, 4U, 5U, 8U, 13U, 16U, 40U, 512U}) {
    constexpr uint32_t max_entries = 20, nr_keys = 30;
    std::string property = fmt::format("{} of {} bytes", name, key_size);
    model::check_property<Op>(
        property.c_str(), 4, 400,
        [=](model::Random &random) { return hash_test::random_op(random, key_size, nr_keys); },
        [&](const std::vector<Op> &ops) {
          auto map = make(hash_test::hash_spec(key_size, max_entries, flags));
          return hash_test::compare_with_model(*map, ops);
        });
  }
}

TEST(hash_map_model)
{
  SUBTEST(prealloc) { check_sizes("syscall, prealloc", 0, map_test::by_syscall); };
  SUBTEST(no_prealloc)
  {
    check_sizes("syscall, no prealloc", BPF_F_NO_PREALLOC, map_test::by_syscall);
  };
  SUBTEST(prealloc_bpf) { check_sizes("helper, prealloc", 0, map_test::by_helper); };
  SUBTEST(no_prealloc_bpf)
  {
    check_sizes("helper, no prealloc", BPF_F_NO_PREALLOC, map_test::by_helper);
  };
}
