// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which hash maps the kernel makes and which it refuses, with the exact errno.
#include "prog_tests/hash_map_checks.h"
#include "prog_tests/with_capabilities.h"

#include <linux/capability.h>

using hash_test::hash_spec;

static int create_with(bpf_map_type type, uint32_t flags)
{
  bpf::MapSpec spec = hash_spec(4, 16, flags);
  spec.type = type;
  return bpf::try_create_map(spec);
}

static int create_sized(uint32_t key_size, uint32_t value_size, uint32_t max_entries,
                        bpf_map_type type = BPF_MAP_TYPE_HASH, uint32_t flags = BPF_F_NO_PREALLOC)
{
  bpf::MapSpec spec = hash_spec(key_size, max_entries, flags);
  spec.type = type;
  spec.value_size = value_size;
  return bpf::try_create_map(spec);
}

TEST(hash_map_create)
{
  // covers: hash N1
  SUBTEST(zero_sizes_refused)
  {
    for (uint32_t flags : std::vector<uint32_t>{0, BPF_F_NO_PREALLOC}) {
      CHECK_ERR(create_sized(4, 8, 0, BPF_MAP_TYPE_HASH, flags), -EINVAL);
      CHECK_ERR(create_sized(0, 8, 1, BPF_MAP_TYPE_HASH, flags), -EINVAL);
      CHECK_ERR(create_sized(4, 0, 1, BPF_MAP_TYPE_HASH, flags), -EINVAL);
    }
  };
  // covers: hash T1
  SUBTEST(many_sizes)
  {
    for (uint32_t flags : std::vector<uint32_t>{0, BPF_F_NO_PREALLOC})
      for (uint32_t key_size = 1; key_size <= 512; key_size *= 2)
        for (uint32_t size = 1; size <= 1U << 18; size *= 8)
          CHECK_OK(create_sized(key_size, size, 2, BPF_MAP_TYPE_HASH, flags));
  };
  // covers: hash N1
  SUBTEST(element_too_big)
  {
    // KMALLOC_MAX_SIZE is 4 MiB with pages of 4 KiB, and more with larger ones or some options.
    CHECK_ERR(create_sized(4, 1U << 30, 1), -E2BIG);
    CHECK_ERR(create_sized(1U << 30, 8, 1), -E2BIG);
    CHECK_ERR(create_sized(1U << 31, 1U << 31, 1), -E2BIG);
    CHECK_OK(create_sized(4, 1U << 20, 1));
  };
  // covers: hash N1
  SUBTEST(percpu_value_too_big)
  {
    CHECK_OK(create_sized(4, 32 << 10, 1, BPF_MAP_TYPE_PERCPU_HASH, 0));
    CHECK_ERR(create_sized(4, (32 << 10) + 1, 1, BPF_MAP_TYPE_PERCPU_HASH, 0), -E2BIG);
    CHECK_ERR(create_sized(4, (32 << 10) + 1, 1, BPF_MAP_TYPE_LRU_PERCPU_HASH, 0), -E2BIG);
  };
  // covers: hash N1
  SUBTEST(too_many_entries)
  {
    CHECK_ERR(create_sized(4, 8, (1U << 31) + 1), -E2BIG);
    CHECK_ERR(create_sized(4, 8, ~0U), -E2BIG);
  };
  // covers: hash N1
  SUBTEST(no_common_lru_needs_lru)
  {
    CHECK_ERR(create_with(BPF_MAP_TYPE_HASH, BPF_F_NO_COMMON_LRU), -EINVAL);
    CHECK_ERR(create_with(BPF_MAP_TYPE_PERCPU_HASH, BPF_F_NO_COMMON_LRU), -EINVAL);
    CHECK_OK(create_with(BPF_MAP_TYPE_LRU_HASH, BPF_F_NO_COMMON_LRU));
  };
  // covers: hash N1
  SUBTEST(lru_needs_prealloc)
  {
    constexpr int enotsupp = 524; // the kernel's own, not in errno.h
    CHECK_ERR(create_with(BPF_MAP_TYPE_LRU_HASH, BPF_F_NO_PREALLOC), -enotsupp);
    CHECK_ERR(create_with(BPF_MAP_TYPE_LRU_PERCPU_HASH, BPF_F_NO_PREALLOC), -enotsupp);
  };
  // covers: hash N1
  SUBTEST(zero_seed_needs_cap_sys_admin)
  {
    auto create = [] { return create_with(BPF_MAP_TYPE_HASH, BPF_F_ZERO_SEED); };
    CHECK_OK(create());
    CHECK_ERR(test::with_capabilities({CAP_BPF}, create), -EPERM);
    CHECK_OK(test::with_capabilities({CAP_SYS_ADMIN}, create));
  };
  // covers: hash N1
  SUBTEST(numa_node_not_with_percpu)
  {
    CHECK_OK(create_with(BPF_MAP_TYPE_HASH, BPF_F_NUMA_NODE));
    CHECK_ERR(create_with(BPF_MAP_TYPE_PERCPU_HASH, BPF_F_NUMA_NODE), -EINVAL);
    CHECK_ERR(create_with(BPF_MAP_TYPE_LRU_PERCPU_HASH, BPF_F_NUMA_NODE), -EINVAL);
    CHECK_ERR(create_with(BPF_MAP_TYPE_LRU_HASH, BPF_F_NUMA_NODE | BPF_F_NO_COMMON_LRU), -EINVAL);
  };
  // covers: hash N1
  SUBTEST(both_access_flags_refused)
  {
    CHECK_ERR(create_with(BPF_MAP_TYPE_HASH, BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG), -EINVAL);
    CHECK_ERR(create_with(BPF_MAP_TYPE_HASH, BPF_F_RDONLY | BPF_F_WRONLY), -EINVAL);
    for (uint32_t flag : {BPF_F_RDONLY, BPF_F_WRONLY, BPF_F_RDONLY_PROG, BPF_F_WRONLY_PROG})
      CHECK_OK(create_with(BPF_MAP_TYPE_HASH, flag));
  };
  SUBTEST(unknown_flags_refused)
  {
    for (uint32_t flag :
         {BPF_F_STACK_BUILD_ID, BPF_F_MMAPABLE, BPF_F_PRESERVE_ELEMS, BPF_F_INNER_MAP, BPF_F_CLONE})
      CHECK_ERR(create_with(BPF_MAP_TYPE_HASH, flag), -EINVAL);
    CHECK_ERR(create_with(BPF_MAP_TYPE_HASH, 1U << 31), -EINVAL);
  };
  SUBTEST(map_extra_refused)
  {
    bpf::MapSpec spec = hash_spec(4, 16);
    spec.extra = 1;
    CHECK_ERR(bpf::try_create_map(spec), -EINVAL);
  };
  // Upstream made these privileged in 5.x and open again where unprivileged BPF is switched on.
  SUBTEST(needs_cap_bpf_where_unprivileged_is_off)
  {
    auto create = [] { return create_with(BPF_MAP_TYPE_HASH, 0); };
    CHECK_OK(test::with_capabilities({CAP_BPF}, create));
    FILE *file = fopen("/proc/sys/kernel/unprivileged_bpf_disabled", "re");
    int disabled = file ? fgetc(file) : '0';
    if (file)
      fclose(file);
    CHECK_ERR(test::with_capabilities({}, create), disabled == '0' ? 0 : -EPERM);
  };
}
