// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which bloom filters BPF_MAP_CREATE makes, which it refuses with which errno, and how large the
// bit array of the made ones is.
#include <bpf/btf.h>

#include <fstream>
#include <memory>
#include <optional>

#include "prog_tests/bloom_filter.h"
#include "prog_tests/with_capabilities.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

using bpf::MapSpec;
using bpf::try_create_map;

namespace
{

constexpr __u32 too_large = 1U << 30; // more than KMALLOC_MAX_SIZE on every machine

MapSpec with_key(MapSpec spec, __u32 key_size)
{
  spec.key_size = key_size;
  return spec;
}

// The "memlock" of /proc/self/fdinfo, in bytes.
uint64_t memlock(const bpf::Map &map)
{
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(map.fd()));
  for (std::string word; info >> word;) {
    uint64_t bytes;
    if (word == "memlock:" && info >> bytes)
      return bytes;
  }
  throw bpf::error("read memlock of", "bloom filter", ENOENT);
}

uint64_t memlock(__u32 entries, __u64 hashes)
{
  return memlock(bpf::Map(bloom::spec(8, entries, hashes)));
}

// Before 6.4 memlock is computed from max_entries and says nothing of the bit array.
void need_true_memlock()
{
  if (memlock(1000, 1) == memlock(1000, 15))
    test::skip("memlock in fdinfo does not tell the size of a bloom filter (before 6.4)");
}

uint64_t available_memory_mib()
{
  std::ifstream info("/proc/meminfo");
  for (std::string word; info >> word;) {
    uint64_t kib;
    if (word == "MemAvailable:" && info >> kib)
      return kib / 1024;
  }
  return 0;
}

using Btf = std::unique_ptr<btf, decltype(&btf__free)>;

} // namespace

// covers: bloom T1
TEST(bloom_filter_refused)
{
  test::require(probe::map_bloom);
  SUBTEST(key_size) { CHECK_ERR(try_create_map(with_key(bloom::spec(4, 100), 4)), -EINVAL); };
  SUBTEST(value_size_zero) { CHECK_ERR(try_create_map(bloom::spec(0, 100)), -EINVAL); };
  SUBTEST(value_size_int_max) { CHECK_ERR(try_create_map(bloom::spec(INT32_MAX, 100)), -E2BIG); };
  SUBTEST(max_entries_zero) { CHECK_ERR(try_create_map(bloom::spec(4, 0)), -EINVAL); };
  SUBTEST(no_prealloc)
  {
    CHECK_ERR(try_create_map(bloom::spec(4, 100, 0, BPF_F_NO_PREALLOC)), -EINVAL);
  };
  // covers: bloom T6
  SUBTEST(map_extra_on_a_hash)
  {
    MapSpec spec = {BPF_MAP_TYPE_HASH, 4, 4, 100};
    CHECK_OK(try_create_map(spec));
    spec.extra = 5;
    CHECK_ERR(try_create_map(spec), -EINVAL);
  };
  // covers: bloom N3
  SUBTEST(value_too_large_comes_first)
  {
    CHECK_ERR(try_create_map(bloom::spec(too_large, 100)), -E2BIG);
    CHECK_ERR(try_create_map(with_key(bloom::spec(too_large, 0, 16), 4)), -E2BIG);
    CHECK_ERR(try_create_map(with_key(bloom::spec(8, 0, 16), 4)), -EINVAL);
  };
}

// covers: bloom N4
TEST(bloom_filter_map_extra)
{
  test::require(probe::map_bloom);
  SUBTEST(one_to_fifteen_hashes)
  {
    for (__u64 hashes = 0; hashes <= 15; hashes++)
      CHECK_OK(try_create_map(bloom::spec(8, 100, hashes)));
  };
  SUBTEST(sixteen_hashes) { CHECK_ERR(try_create_map(bloom::spec(8, 100, 16)), -EINVAL); };
  SUBTEST(each_bit_above_the_fourth)
  {
    for (int bit = 4; bit < 64; bit++)
      CHECK_ERR(try_create_map(bloom::spec(8, 100, 3 | 1ULL << bit)), -EINVAL);
  };
  SUBTEST(zero_means_five)
  {
    need_true_memlock();
    // With 1000 entries five and six hash functions need 8 and 16 Kibit; with 1200 four and five.
    CHECK_EQ(memlock(1000, 0), memlock(1000, 5));
    CHECK(memlock(1000, 0) < memlock(1000, 6));
    CHECK_EQ(memlock(1200, 0), memlock(1200, 5));
    CHECK(memlock(1200, 0) > memlock(1200, 4));
  };
}

// covers: bloom N5
TEST(bloom_filter_create_flags)
{
  test::require(probe::map_bloom);
  constexpr __u32 access = BPF_F_RDONLY | BPF_F_WRONLY;
  constexpr __u32 prog_access = BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG;
  SUBTEST(each_allowed)
  {
    for (__u32 flag : {BPF_F_ZERO_SEED, BPF_F_RDONLY, BPF_F_WRONLY, BPF_F_RDONLY_PROG,
                       BPF_F_WRONLY_PROG, BPF_F_NUMA_NODE})
      CHECK_OK(try_create_map(bloom::spec(8, 100, 0, flag)));
  };
  SUBTEST(readonly_and_writeonly_for_programs)
  {
    CHECK_ERR(try_create_map(bloom::spec(8, 100, 0, prog_access)), -EINVAL);
  };
  SUBTEST(every_other_bit)
  {
    constexpr __u32 token_fd = 1U << 16; // asks for an fd first
    constexpr __u32 known = access | prog_access | BPF_F_ZERO_SEED | BPF_F_NUMA_NODE | token_fd;
    for (__u32 flag = 1; flag; flag <<= 1) {
      if (!(flag & known))
        CHECK_ERR(try_create_map(bloom::spec(8, 100, 0, flag)), -EINVAL);
    }
  };
  SUBTEST(numa_node_that_is_not_there)
  {
    MapSpec spec = bloom::spec(8, 100, 0, BPF_F_NUMA_NODE);
    spec.numa_node = 1U << 20;
    CHECK_ERR(try_create_map(spec), -EINVAL);
    // Without the flag nobody reads it.
    spec.flags = 0;
    CHECK_OK(try_create_map(spec));
  };
}

// covers: bloom N6
TEST(bloom_filter_bits)
{
  test::require(probe::map_bloom);
  SUBTEST(grow_by_powers_of_two)
  {
    need_true_memlock();
    // The smallest bit array is one long.
    uint64_t base = memlock(1, 1) - sizeof(long);
    for (__u32 entries : {1U, 9U, 10U, 50U, 100U, 1000U, 4096U, 100000U}) {
      for (__u64 hashes : {1, 3, 5, 15}) {
        uint64_t bits = 8 * sizeof(long);
        while (bits < entries * hashes / 5 * 7)
          bits *= 2;
        CHECK_EQ(memlock(entries, hashes) - base, bits / 8);
      }
    }
  };
  SUBTEST(value_size_costs_nothing)
  {
    need_true_memlock();
    CHECK_EQ(memlock(bpf::Map(bloom::spec(4096, 1000))), memlock(bpf::Map(bloom::spec(1, 1000))));
  };
  SUBTEST(overflow_takes_four_gibibits)
  {
    need_true_memlock();
    if (available_memory_mib() < 2048)
      test::skip("2 GiB of available memory are needed for a bit array of 512 MiB");
    uint64_t base = memlock(1, 1) - sizeof(long);
    CHECK_EQ(memlock(UINT32_MAX, 15) - base, 512ULL << 20);
  };
}

// covers: bloom N14
TEST(bloom_filter_create_btf)
{
  test::require(probe::map_bloom);
  Btf types(btf__new_empty(), btf__free);
  int u32_id = bpf::check(btf__add_int(types.get(), "u32", 4, 0), "add to BTF", "u32");
  int empty_id = bpf::check(btf__add_struct(types.get(), "empty", 0), "add to BTF", "empty");
  bpf::check(btf__load_into_kernel(types.get()), "load BTF", "");
  MapSpec spec = bloom::spec(4, 100);
  spec.btf_fd = btf__fd(types.get());
  spec.btf_value_type_id = u32_id;
  SUBTEST(no_key_type) { CHECK_OK(try_create_map(spec)); };
  SUBTEST(key_type_of_four_bytes)
  {
    MapSpec keyed = spec;
    keyed.btf_key_type_id = u32_id;
    CHECK_ERR(try_create_map(keyed), -EINVAL);
  };
  // Of the right size, so it is the filter itself that says no.
  SUBTEST(key_type_of_no_bytes)
  {
    MapSpec keyed = spec;
    keyed.btf_key_type_id = empty_id;
    CHECK_ERR(try_create_map(keyed), -EINVAL);
  };
}

// covers: bloom N14
TEST(bloom_filter_capability)
{
  test::require(probe::map_bloom);
  auto create = [] { return try_create_map(bloom::spec()); };
  SUBTEST(cap_bpf_is_enough) { CHECK_OK(test::with_capabilities({CAP_BPF}, create)); };
  SUBTEST(without_any) { CHECK_ERR(test::with_capabilities({}, create), -EPERM); };
  // BPF_F_ZERO_SEED asks for CAP_SYS_ADMIN in a hash map, not here.
  // covers: bloom N8
  SUBTEST(zero_seed_needs_no_more)
  {
    auto zero_seed = [] { return try_create_map(bloom::spec(8, 100, 0, BPF_F_ZERO_SEED)); };
    CHECK_OK(test::with_capabilities({CAP_BPF}, zero_seed));
  };
}
