// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which LPM tries the kernel makes and which it refuses, with the exact errno.
#include "prog_tests/lpm_trie_key.h"
#include "prog_tests/map_btf.h"
#include "prog_tests/with_capabilities.h"

#include <linux/capability.h>

using lpm_test::trie_spec;

static int create_with(void (*change)(bpf::MapSpec &spec))
{
  bpf::MapSpec spec = trie_spec(4, 16);
  change(spec);
  return bpf::try_create_map(spec);
}

static int create_with_flags(uint32_t flags)
{
  bpf::MapSpec spec = trie_spec(4, 16);
  spec.flags = flags;
  return bpf::try_create_map(spec);
}

static int create_with_sizes(uint32_t key_size, uint32_t value_size)
{
  bpf::MapSpec spec = trie_spec(4, 16);
  spec.key_size = key_size;
  spec.value_size = value_size;
  return bpf::try_create_map(spec);
}

TEST(lpm_trie_create)
{
  // covers: lpm N1
  SUBTEST(prealloc_refused)
  {
    CHECK_ERR(create_with_flags(0), -EINVAL);
    CHECK_ERR(create_with_flags(BPF_F_RDONLY_PROG), -EINVAL);
    CHECK_OK(create_with_flags(BPF_F_NO_PREALLOC));
  };
  // covers: lpm N1
  SUBTEST(unknown_flags_refused)
  {
    for (uint32_t flag : {BPF_F_ZERO_SEED, BPF_F_NO_COMMON_LRU, BPF_F_STACK_BUILD_ID,
                          BPF_F_MMAPABLE, BPF_F_PRESERVE_ELEMS, BPF_F_INNER_MAP, BPF_F_CLONE})
      CHECK_ERR(create_with_flags(BPF_F_NO_PREALLOC | flag), -EINVAL);
    CHECK_ERR(create_with_flags(BPF_F_NO_PREALLOC | 1U << 31), -EINVAL);
  };
  // covers: lpm N1
  SUBTEST(numa_node_accepted) { CHECK_OK(create_with_flags(BPF_F_NO_PREALLOC | BPF_F_NUMA_NODE)); };
  SUBTEST(access_flags)
  {
    for (uint32_t flags : {BPF_F_RDONLY, BPF_F_WRONLY, BPF_F_RDONLY_PROG, BPF_F_WRONLY_PROG})
      CHECK_OK(create_with_flags(BPF_F_NO_PREALLOC | flags));
    CHECK_ERR(create_with_flags(BPF_F_NO_PREALLOC | BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG),
              -EINVAL);
    CHECK_ERR(create_with_flags(BPF_F_NO_PREALLOC | BPF_F_RDONLY | BPF_F_WRONLY), -EINVAL);
  };
  // covers: lpm N1
  SUBTEST(no_entries_refused)
  {
    CHECK_ERR(create_with([](bpf::MapSpec &spec) { spec.max_entries = 0; }), -EINVAL);
    CHECK_OK(create_with([](bpf::MapSpec &spec) { spec.max_entries = 1; }));
    CHECK_OK(create_with([](bpf::MapSpec &spec) { spec.max_entries = ~0U; }));
  };
  // covers: lpm N1
  SUBTEST(key_sizes)
  {
    for (uint32_t size : {0U, 1U, 4U, 261U, 264U, ~0U})
      CHECK_ERR(create_with_sizes(size, 8), -EINVAL);
    for (uint32_t size : {5U, 6U, 8U, 20U, 259U, 260U})
      CHECK_OK(create_with_sizes(size, 8));
  };
  // covers: lpm N1
  SUBTEST(value_sizes)
  {
    for (uint32_t size : {1U, 3U, 4096U, 65536U})
      CHECK_OK(create_with_sizes(8, size));
    for (uint32_t size : {0U, 1U << 30, ~0U})
      CHECK_ERR(create_with_sizes(8, size), -EINVAL);
  };
  SUBTEST(map_extra_refused)
  {
    CHECK_ERR(create_with([](bpf::MapSpec &spec) { spec.extra = 1; }), -EINVAL);
  };
  // covers: lpm N1
  SUBTEST(btf_key_must_be_struct)
  {
    map_test::MapBtf btf(8, 8);
    bpf::MapSpec spec = trie_spec(4, 16);
    spec.btf_fd = btf.fd();
    spec.btf_value_type_id = btf.value_id();
    spec.btf_key_type_id = btf.struct_key_id();
    CHECK_OK(bpf::try_create_map(spec));
    spec.btf_key_type_id = btf.array_key_id();
    CHECK_ERR(bpf::try_create_map(spec), -EINVAL);
  };
  // covers: lpm N1
  SUBTEST(needs_cap_bpf)
  {
    auto create = [] { return bpf::try_create_map(trie_spec(4, 16)); };
    CHECK_ERR(test::with_capabilities({}, create), -EPERM);
    CHECK_OK(test::with_capabilities({CAP_BPF}, create));
    CHECK_OK(test::with_capabilities({CAP_SYS_ADMIN}, create));
  };
}
