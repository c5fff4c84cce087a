// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The map commands of bpf(2) on a bloom filter: push, peek, and everything that it does not do.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "prog_tests/bloom_filter.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

using bloom::peek;
using bloom::push;
using bloom::value_of;

namespace
{

constexpr int not_supported = 524; // ENOTSUPP, which user space has no name for

// A map command with a value pointer of our choice, past libbpf.
int element_command(int cmd, int map_fd, __u64 value)
{
  bpf_attr attr = {};
  attr.map_fd = map_fd;
  attr.value = value;
  return syscall(SYS_bpf, cmd, &attr, sizeof(attr)) < 0 ? -errno : 0;
}

// How many of the values first.. first + count - 1 the filter says it has; others return ENOENT.
uint64_t peek_many(const bpf::Map &map, uint64_t first, uint64_t count)
{
  uint64_t found = 0;
  for (uint64_t n = first; n < first + count; n++) {
    int rc = peek(map, value_of(n, map.spec().value_size));
    if (rc && rc != -ENOENT)
      CHECK_ERR(rc, -ENOENT);
    found += !rc;
  }
  return found;
}

void push_many(const bpf::Map &map, uint64_t first, uint64_t count)
{
  for (uint64_t n = first; n < first + count; n++)
    REQUIRE_OK(push(map, value_of(n, map.spec().value_size)));
}

// One answer bit per value: two filters that hash alike give the same string.
std::string answers(const bpf::Map &map, uint64_t first, uint64_t count)
{
  std::string answers;
  for (uint64_t n = first; n < first + count; n++)
    answers += peek(map, value_of(n, map.spec().value_size)) ? '0' : '1';
  return answers;
}

} // namespace

TEST(bloom_filter_push)
{
  test::require(probe::map_bloom);
  // covers: bloom T2, bloom N9
  for (__u64 flags : {__u64(-1), __u64(BPF_EXIST), __u64(BPF_NOEXIST), __u64(BPF_F_LOCK),
                      __u64(10000), __u64(1) << 32, __u64(1) << 63}) {
    SUBTEST_NAMED(fmt::format("flags_{:#x}", flags))
    {
      bpf::Map map(bloom::spec(4, 100));
      CHECK_ERR(push(map, value_of(7, 4), flags), -EINVAL);
      // The refused push has left no bit behind.
      CHECK_ERR(peek(map, value_of(7, 4)), -ENOENT);
    };
  }
  // covers: bloom T3
  SUBTEST(zero_seed_and_any_numa_node)
  {
    bpf::MapSpec spec = bloom::spec(11, 100, 0, BPF_F_ZERO_SEED | BPF_F_NUMA_NODE);
    spec.numa_node = -1;
    bpf::Map map(spec);
    CHECK_OK(push(map, value_of(1, 11)));
    CHECK_OK(peek(map, value_of(1, 11)));
  };
  // covers: bloom N2
  SUBTEST(more_than_max_entries)
  {
    bpf::Map map(bloom::spec(8, 10));
    push_many(map, 0, 1000);
    CHECK_EQ(peek_many(map, 0, 1000), 1000U);
  };
}

TEST(bloom_filter_peek)
{
  test::require(probe::map_bloom);
  // covers: bloom N1
  SUBTEST(empty_filter)
  {
    for (__u64 hashes = 1; hashes <= 15; hashes++)
      CHECK_EQ(peek_many(bpf::Map(bloom::spec(8, 1000, hashes)), 0, 100), 0U);
  };
  SUBTEST(value_of_zeros_in_empty_filter)
  {
    CHECK_ERR(peek(bpf::Map(bloom::spec()), value_of(0, 8)), -ENOENT);
  };
  // covers: bloom N9
  SUBTEST(flags)
  {
    bpf::Map map(bloom::spec());
    push_many(map, 1, 1);
    for (__u64 flags : {__u64(BPF_F_LOCK), __u64(BPF_NOEXIST), __u64(BPF_EXIST), __u64(1) << 63})
      CHECK_ERR(peek(map, value_of(1, 8), flags), -EINVAL);
  };
  // covers: bloom N10
  SUBTEST(writes_nothing_back)
  {
    bpf::Map map(bloom::spec(8, 10));
    push_many(map, 1, 1);
    // Any write back into the mapping would be EFAULT.
    size_t page = sysconf(_SC_PAGESIZE);
    void *memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    memcpy(memory, value_of(1, 8).data(), 8);
    REQUIRE_OK(mprotect(memory, page, PROT_READ));
    CHECK_OK(map.lookup(nullptr, memory));
    munmap(memory, page);
  };
}

TEST(bloom_filter_arguments)
{
  test::require(probe::map_bloom);
  bpf::Map map(bloom::spec());
  // covers: bloom N9
  SUBTEST(key_pointer)
  {
    __u64 key = 0;
    auto value = value_of(1, 8);
    CHECK_ERR(map.update(&key, value.data()), -EINVAL);
    CHECK_ERR(map.lookup(&key, value.data()), -EINVAL);
    CHECK_ERR(peek(map, value), -ENOENT);
  };
  SUBTEST(bad_value_pointer)
  {
    CHECK_ERR(element_command(BPF_MAP_UPDATE_ELEM, map.fd(), 8), -EFAULT);
    CHECK_ERR(element_command(BPF_MAP_LOOKUP_ELEM, map.fd(), 8), -EFAULT);
  };
}

// covers: bloom N10
TEST(bloom_filter_not_supported)
{
  test::require(probe::map_bloom);
  bpf::Map map(bloom::spec());
  auto value = value_of(1, 8);
  __u64 next;
  __u32 count = 1;
  SUBTEST(delete) { CHECK_ERR(map.erase(nullptr), -EOPNOTSUPP); };
  SUBTEST(get_next_key) { CHECK_ERR(map.next_key(nullptr, &next), -EOPNOTSUPP); };
  SUBTEST(lookup_and_delete)
  {
    CHECK_ERR(map.lookup_and_erase(nullptr, value.data()), -not_supported);
  };
  SUBTEST(update_batch) { CHECK_ERR(map.update_batch(nullptr, &next, count), -not_supported); };
  SUBTEST(delete_batch) { CHECK_ERR(map.erase_batch(&next, count), -not_supported); };
  SUBTEST(lookup_batch)
  {
    CHECK_ERR(map.lookup_batch(nullptr, &next, &next, value.data(), count), -not_supported);
  };
  SUBTEST(lookup_and_delete_batch)
  {
    CHECK_ERR(map.lookup_and_erase_batch(nullptr, &next, &next, value.data(), count),
              -not_supported);
  };
}

TEST(bloom_filter_access)
{
  test::require(probe::map_bloom);
  bpf::Map map(bloom::spec());
  push_many(map, 1, 1);
  auto value = value_of(1, 8);
  // covers: bloom N5
  SUBTEST(readonly_fd)
  {
    bpf::Map readonly = map.reopen(BPF_F_RDONLY);
    CHECK_ERR(push(readonly, value), -EPERM);
    CHECK_OK(peek(readonly, value));
  };
  SUBTEST(writeonly_fd)
  {
    bpf::Map writeonly = map.reopen(BPF_F_WRONLY);
    CHECK_OK(push(writeonly, value));
    CHECK_ERR(peek(writeonly, value), -EPERM);
  };
  SUBTEST(created_readonly)
  {
    bpf::Map created(bloom::spec(8, 100, 0, BPF_F_RDONLY));
    CHECK_ERR(push(created, value), -EPERM);
    CHECK_ERR(peek(created, value), -ENOENT);
  };
  SUBTEST(created_writeonly)
  {
    bpf::Map created(bloom::spec(8, 100, 0, BPF_F_WRONLY));
    CHECK_OK(push(created, value));
    CHECK_ERR(peek(created, value), -EPERM);
  };
  // covers: bloom N10
  SUBTEST(frozen)
  {
    bpf::Map frozen(bloom::spec());
    push_many(frozen, 1, 1);
    CHECK_OK(frozen.freeze());
    CHECK_ERR(push(frozen, value_of(2, 8)), -EPERM);
    CHECK_OK(peek(frozen, value));
    CHECK_ERR(peek(frozen, value_of(2, 8)), -ENOENT);
  };
}

// covers: bloom N7
TEST(bloom_filter_value_sizes)
{
  test::require(probe::map_bloom);
  // Multiples of four are hashed as words, the others as bytes.
  for (__u32 size : {1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 40, 255, 256, 4095, 4096}) {
    SUBTEST_NAMED(fmt::format("{}_bytes", size))
    {
      bpf::Map map(bloom::spec(size, 1000));
      uint64_t count = size == 1 ? 128 : 500;
      CHECK_EQ(peek_many(map, 0, 2 * count), 0U);
      push_many(map, 0, count);
      CHECK_EQ(peek_many(map, 0, count), count);
    };
  }
}

// covers: bloom N7
TEST(bloom_filter_every_byte_counts)
{
  test::require(probe::map_bloom);
  for (size_t size : {1, 3, 4, 5, 8, 11, 64, 256}) {
    SUBTEST_NAMED(fmt::format("{}_bytes", size))
    {
      // One value in 8 Kibit: a changed one finds its five bits set once in 1e16.
      bpf::Map map(bloom::spec(size, 1000));
      push_many(map, 1, 1);
      for (size_t bit = 0; bit < 8 * size; bit++) {
        auto changed = value_of(1, size);
        changed[bit / 8] ^= 1 << bit % 8;
        CHECK_ERR(peek(map, changed), -ENOENT);
      }
    };
  }
}

// covers: bloom N8
TEST(bloom_filter_seed)
{
  test::require(probe::map_bloom);
  // 1000 pushes into 2048 bits: four of ten values that were not pushed are answered yes.
  auto filled = [](__u32 flags) {
    bpf::Map map(bloom::spec(8, 1000, 1, flags));
    push_many(map, 0, 1000);
    return answers(map, 1000, 4096);
  };
  SUBTEST(zero_seed_answers_alike) { CHECK(filled(BPF_F_ZERO_SEED) == filled(BPF_F_ZERO_SEED)); };
  SUBTEST(random_seed_answers_otherwise)
  {
    std::string first = filled(0);
    CHECK(first.find('1') != std::string::npos);
    // The seed has 32 bits: once in 4e9 two are the same, so never three.
    CHECK(first != filled(0) || first != filled(0));
  };
}
