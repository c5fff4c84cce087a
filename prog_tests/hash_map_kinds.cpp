// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The kinds of hash maps: per CPU, with a fixed seed, with keys of pages, through restricted fds,
// and the resizable one of newer kernels.
#include <bpf/libbpf.h>

#include <algorithm>

#include "prog_tests/hash_map_checks.h"
#include "prog_tests/kernel_function.h"
#include "prog_tests/map_ops_bpf.h"
#include "tools/lib/probe.h"

using hash_test::hash_spec;

static std::vector<uint32_t> order_of(uint32_t flags)
{
  bpf::Map map(hash_spec(4, 200, flags));
  for (uint32_t key = 0; key < 200; key++) {
    uint64_t value = key;
    REQUIRE_OK(map.update(&key, &value));
  }
  std::vector<uint32_t> keys;
  uint32_t key;
  for (int err = map.next_key(nullptr, &key); !err; err = map.next_key(&key, &key))
    keys.push_back(key);
  return keys;
}

// Elements of pages: all fit, one more does not, iteration meets each.
static void keys_of_pages(uint32_t flags)
{
  struct Key {
    uint32_t number;
    uint8_t rest[4092];
  };
  constexpr uint32_t nr = 200;
  bpf::Map map(hash_spec(sizeof(Key), nr, flags));
  std::vector<Key> keys(1);
  Key &key = keys[0];
  for (uint64_t i = 0; i <= nr; i++) {
    key.number = static_cast<uint32_t>(i);
    CHECK_ERR(map.update(&key, &i, BPF_NOEXIST), i < nr ? 0 : -E2BIG);
  }
  key.number = 0;
  uint64_t value;
  CHECK_ERR(map.update(&key, &value, BPF_NOEXIST), -EEXIST);
  uint32_t met = 0;
  for (int err = map.next_key(nullptr, &key); !err && met <= nr; err = map.next_key(&key, &key))
    met++;
  CHECK_EQ(met, nr);
  key.rest[4091] = 1;
  CHECK_ERR(map.lookup(&key, &value), -ENOENT);
}

static void per_cpu(uint32_t flags)
{
  bpf::MapSpec spec = hash_spec(4, 2, flags);
  spec.type = BPF_MAP_TYPE_PERCPU_HASH;
  bpf::Map map(spec);
  std::vector<uint64_t> slots(static_cast<size_t>(libbpf_num_possible_cpus())), found(slots);
  for (size_t cpu = 0; cpu < slots.size(); cpu++)
    slots[cpu] = 100 + cpu;
  uint32_t key = 1, other = 2, third = 3, next;
  CHECK_OK(map.update(&key, slots.data(), BPF_NOEXIST));
  CHECK_ERR(map.update(&key, slots.data(), BPF_NOEXIST), -EEXIST);
  CHECK_ERR(map.update(&key, slots.data(), ~0ULL), -EINVAL);
  CHECK_OK(map.lookup(&key, found.data()));
  CHECK(found == slots);
  slots[0] = 1;
  CHECK_OK(map.update(&key, slots.data(), BPF_EXIST));
  CHECK_OK(map.lookup(&key, found.data()));
  CHECK(found == slots);
  CHECK_ERR(map.lookup(&other, found.data()), -ENOENT);
  CHECK_ERR(map.update(&other, slots.data(), BPF_EXIST), -ENOENT);
  CHECK_OK(map.update(&other, slots.data(), BPF_ANY));
  CHECK_ERR(map.update(&third, slots.data(), BPF_NOEXIST), -E2BIG);
  CHECK_OK(map.next_key(nullptr, &next));
  CHECK_OK(map.next_key(&next, &next));
  CHECK_ERR(map.next_key(&next, &next), -ENOENT);
  CHECK_ERR(map.erase(&third), -ENOENT);
  CHECK_OK(map.erase(&key));
  CHECK_OK(map.erase(&other));
  CHECK_ERR(map.next_key(nullptr, &next), -ENOENT);
}

TEST(hash_map_kinds)
{
  // covers: hash T1
  SUBTEST(same_order_with_zero_seed)
  {
    CHECK(order_of(BPF_F_ZERO_SEED) == order_of(BPF_F_ZERO_SEED));
    CHECK(order_of(BPF_F_ZERO_SEED) == order_of(BPF_F_ZERO_SEED | BPF_F_NO_PREALLOC));
  };
  SUBTEST(other_order_with_random_seed)
  {
    // 200 keys in the same order by chance, twice: never.
    auto first = order_of(0);
    CHECK(first != order_of(0) || first != order_of(0));
  };
  // covers: hash T1
  SUBTEST(keys_of_pages)
  {
    keys_of_pages(0);
    keys_of_pages(BPF_F_NO_PREALLOC);
  };
  // covers: hash T1
  SUBTEST(per_cpu_values)
  {
    per_cpu(0);
    per_cpu(BPF_F_NO_PREALLOC);
  };
  // covers: hash T1
  SUBTEST(rdonly_fd)
  {
    bpf::Map map(hash_spec(4, 4, BPF_F_RDONLY));
    uint32_t key = 1, next;
    uint64_t value = 11;
    CHECK_ERR(map.update(&key, &value), -EPERM);
    CHECK_ERR(map.erase(&key), -EPERM);
    CHECK_ERR(map.lookup(&key, &value), -ENOENT);
    CHECK_ERR(map.next_key(&key, &next), -ENOENT);
    CHECK_ERR(map.lookup_and_erase(&key, &value), -EPERM);
    REQUIRE_OK(map.reopen(0).update(&key, &value));
    CHECK_OK(map.lookup(&key, &value));
  };
  // covers: hash T1
  SUBTEST(wronly_fd)
  {
    bpf::Map map(hash_spec(4, 4, BPF_F_WRONLY));
    uint32_t key = 1, next;
    uint64_t value = 11;
    CHECK_OK(map.update(&key, &value));
    CHECK_ERR(map.lookup(&key, &value), -EPERM);
    CHECK_ERR(map.next_key(&key, &next), -EPERM);
    CHECK_ERR(map.lookup_and_erase(&key, &value), -EPERM);
    CHECK_OK(map.erase(&key));
  };
  // Flags by which newer kernels address one CPU's value, or all; a shared map has none.
  // covers: hash T3
  SUBTEST(cpu_flags_refused)
  {
    constexpr uint64_t one_cpu = 8, all_cpus = 16;
    bpf::Map map(hash_spec(4, 4));
    uint32_t key = 1;
    uint64_t value = 11;
    for (uint64_t flags : std::vector<uint64_t>{one_cpu, all_cpus, one_cpu | 1ULL << 32}) {
      CHECK_ERR(map.update(&key, &value, flags), -EINVAL);
      CHECK_ERR(map.lookup(&key, &value, flags), -EINVAL);
    }
    CHECK_ERR(map.lookup(&key, &value), -ENOENT);
  };
}

// The checks that say nothing about capacity, flags of creation or order.
static std::vector<map_test::Check> resizable_checks(bpf_map_type type)
{
  std::vector<map_test::Check> some;
  for (map_test::Check check : hash_test::checks(BPF_F_NO_PREALLOC)) {
    std::string name = check.name;
    check.spec.type = type;
    if (name == "lookup_finds_what_was_put" || name == "noexist_adds_once" ||
        name == "exist_overwrites_only" || name == "erase_takes_away" ||
        name == "iteration_visits_each_once")
      some.push_back(check);
  }
  return some;
}

static void run_resizable(const map_test::Maker &make)
{
  for (const map_test::Check &check :
       resizable_checks(map_test::require_map_type("BPF_MAP_TYPE_RHASH")))
    map_test::report(check, run_check(check, make));
}

TEST(hash_map_resizable)
{
  // covers: hash T4
  SUBTEST(operations_by_syscall) { run_resizable(map_test::by_syscall); };
  // covers: hash T4
  SUBTEST(operations_by_helper) { run_resizable(map_test::by_helper); };
  // covers: hash T4
  SUBTEST(size_hint)
  {
    bpf::MapSpec spec = hash_spec(4, 1024, BPF_F_NO_PREALLOC);
    spec.type = map_test::require_map_type("BPF_MAP_TYPE_RHASH");
    spec.extra = 256;
    bpf::Map map(spec);
    bpf_map_info info;
    REQUIRE_OK(map.info(info));
    CHECK_EQ(info.map_extra, 256u);
    for (uint32_t key = 0; key < 1024; key++) {
      uint64_t value = key;
      CHECK_OK(map.update(&key, &value, BPF_NOEXIST));
    }
  };
  // covers: hash T4
  SUBTEST(creation_limits)
  {
    bpf::MapSpec spec = hash_spec(4, 1 << 20, BPF_F_NO_PREALLOC);
    spec.type = map_test::require_map_type("BPF_MAP_TYPE_RHASH");
    auto create = [&](uint32_t flags, uint64_t extra) {
      bpf::MapSpec other = spec;
      other.flags = flags;
      other.extra = extra;
      return bpf::try_create_map(other);
    };
    CHECK_OK(create(BPF_F_NO_PREALLOC, 0));
    CHECK_OK(create(BPF_F_NO_PREALLOC, 0xffff));
    CHECK_ERR(create(BPF_F_NO_PREALLOC, 0x10000), -E2BIG);
    CHECK_ERR(create(BPF_F_NO_PREALLOC, 1ULL << 32), -EINVAL);
    CHECK_ERR(create(0, 0), -EINVAL);
    CHECK_ERR(create(BPF_F_NO_PREALLOC | BPF_F_ZERO_SEED, 0), -EINVAL);
  };
}
