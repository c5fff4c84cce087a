// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The batch commands on hash maps, shared and per CPU, and lookup-and-delete.
#include <bpf/libbpf.h>

#include <optional>
#include <set>

#include "prog_tests/hash_map_checks.h"

using hash_test::hash_spec;

namespace
{

// Values are per-CPU arrays where the map is: every CPU's slot of key i holds 100 + i.
struct Batch {
  Batch(uint32_t nr, bpf_map_type type)
      : slots(type == BPF_MAP_TYPE_PERCPU_HASH ? libbpf_num_possible_cpus() : 1)
  {
    for (uint32_t i = 0; i < nr; i++) {
      keys.push_back(i);
      values.insert(values.end(), slots, 100 + i);
    }
  }
  uint32_t slots;
  std::vector<uint32_t> keys;
  std::vector<uint64_t> values;
};

bpf::MapSpec spec_of(bpf_map_type type, uint32_t max_entries)
{
  bpf::MapSpec spec = hash_spec(4, max_entries);
  spec.type = type;
  return spec;
}

// Reads the map, and with `erase` empties it, in batches of step; a bucket that does not fit
// doubles the step. Checks every value; the keys seen.
std::set<uint32_t> read_in_steps(const bpf::Map &map, uint32_t step, bool erase = false)
{
  std::set<uint32_t> seen;
  uint32_t position;
  void *in = nullptr;
  for (int err = 0, rounds = 0; err != -ENOENT && rounds < 100; rounds++) {
    Batch batch(step, map.spec().type);
    uint32_t count = step;
    void *keys = batch.keys.data(), *values = batch.values.data();
    err = erase ? map.lookup_and_erase_batch(in, &position, keys, values, count)
                : map.lookup_batch(in, &position, keys, values, count);
    if (err == -ENOSPC) {
      CHECK_EQ(count, 0u);
      step *= 2;
      continue;
    }
    if (err != -ENOENT)
      CHECK_OK(err);
    for (uint32_t i = 0; i < count; i++) {
      CHECK(seen.insert(batch.keys[i]).second);
      for (uint32_t slot = 0; slot < batch.slots; slot++)
        CHECK_EQ(batch.values[i * batch.slots + slot], 100u + batch.keys[i]);
    }
    in = &position;
  }
  return seen;
}

void all_steps(bpf_map_type type)
{
  bpf::Map map(spec_of(type, 10));
  Batch batch(10, type);
  for (uint32_t step = 1; step < 10; step++) {
    uint32_t count = 10;
    REQUIRE_OK(map.update_batch(batch.keys.data(), batch.values.data(), count));
    CHECK_EQ(count, 10u);
    CHECK_EQ(read_in_steps(map, step).size(), 10u);
    CHECK_EQ(read_in_steps(map, step, true).size(), 10u);
    CHECK_EQ(read_in_steps(map, step).size(), 0u);
  }
  uint32_t count = 10;
  REQUIRE_OK(map.update_batch(batch.keys.data(), batch.values.data(), count));
  REQUIRE_OK(map.erase_batch(batch.keys.data(), count));
  CHECK_EQ(count, 10u);
  CHECK_EQ(read_in_steps(map, 4).size(), 0u);
}

// A map of two buckets with two keys in one of them, or in both; which is by chance of the seed.
bpf::Map two_buckets(bool collide)
{
  for (int tries = 0; tries < 200; tries++) {
    bpf::Map map(hash_spec(4, 2));
    Batch batch(2, BPF_MAP_TYPE_HASH);
    uint32_t count = 2, position;
    REQUIRE_OK(map.update_batch(batch.keys.data(), batch.values.data(), count));
    count = 1;
    int err = map.lookup_batch(nullptr, &position, batch.keys.data(), batch.values.data(), count);
    if ((err == -ENOSPC) == collide)
      return map;
  }
  throw test::Failure{"no such map in 200 tries"};
}

} // namespace

TEST(hash_map_batch)
{
  // covers: hash T2
  SUBTEST(all_steps_hash) { all_steps(BPF_MAP_TYPE_HASH); };
  // covers: hash T2
  SUBTEST(all_steps_percpu_hash) { all_steps(BPF_MAP_TYPE_PERCPU_HASH); };
  // covers: hash T2
  SUBTEST(empty_map)
  {
    bpf::Map map(hash_spec(4, 10));
    Batch batch(4, BPF_MAP_TYPE_HASH);
    uint32_t position, count = 4;
    void *keys = batch.keys.data(), *values = batch.values.data();
    CHECK_ERR(map.lookup_and_erase_batch(nullptr, &position, keys, values, count), -ENOENT);
    CHECK_EQ(count, 0u);
    CHECK_ERR(map.erase_batch(keys, (count = 4)), -ENOENT);
    CHECK_EQ(count, 0u);
  };
  // covers: hash T2
  SUBTEST(nothing_to_do)
  {
    bpf::Map map(hash_spec(4, 10));
    Batch batch(1, BPF_MAP_TYPE_HASH);
    uint32_t position, count = 0;
    void *keys = batch.keys.data(), *values = batch.values.data();
    CHECK_OK(map.update_batch(keys, values, count));
    CHECK_OK(map.erase_batch(keys, count));
    CHECK_OK(map.lookup_batch(nullptr, &position, keys, values, count));
    CHECK_OK(map.lookup_and_erase_batch(nullptr, &position, keys, values, count));
  };
  SUBTEST(update_stops_when_full)
  {
    bpf::Map map(hash_spec(4, 6));
    Batch batch(10, BPF_MAP_TYPE_HASH);
    uint32_t count = 10;
    CHECK_ERR(map.update_batch(batch.keys.data(), batch.values.data(), count), -E2BIG);
    CHECK_EQ(count, 6u);
    CHECK_EQ(read_in_steps(map, 4).size(), 6u);
  };
  // covers: hash N6
  SUBTEST(position_behind_the_last_bucket)
  {
    bpf::Map map(hash_spec(4, 8));
    Batch batch(8, BPF_MAP_TYPE_HASH);
    void *keys = batch.keys.data(), *values = batch.values.data();
    for (uint32_t position : {8U, 9U, ~0U}) {
      uint32_t count = 8;
      CHECK_ERR(map.lookup_batch(&position, &position, keys, values, count), -ENOENT);
      CHECK_EQ(count, 0u);
      count = 8;
      CHECK_ERR(map.lookup_and_erase_batch(&position, &position, keys, values, count), -ENOENT);
    }
  };
  // covers: hash N6
  SUBTEST(bucket_larger_than_count)
  {
    bpf::Map map = two_buckets(true);
    Batch batch(2, BPF_MAP_TYPE_HASH);
    uint32_t position, count = 1;
    void *keys = batch.keys.data(), *values = batch.values.data();
    CHECK_ERR(map.lookup_and_erase_batch(nullptr, &position, keys, values, count), -ENOSPC);
    CHECK_EQ(count, 0u);
    CHECK_EQ(read_in_steps(map, 2).size(), 2u);
    count = 2;
    CHECK_ERR(map.lookup_batch(nullptr, &position, keys, values, count), -ENOENT);
    CHECK_EQ(count, 2u);
  };
  // covers: hash N6
  SUBTEST(second_bucket_does_not_fit)
  {
    bpf::Map map = two_buckets(false);
    Batch batch(2, BPF_MAP_TYPE_HASH);
    uint32_t position, count = 1;
    void *keys = batch.keys.data(), *values = batch.values.data();
    CHECK_OK(map.lookup_batch(nullptr, &position, keys, values, count));
    CHECK_EQ(count, 1u);
    uint32_t first = batch.keys[0];
    CHECK_ERR(map.lookup_batch(&position, &position, keys, values, count), -ENOENT);
    CHECK_EQ(count, 1u);
    CHECK(batch.keys[0] != first);
  };
  // covers: hash N6
  SUBTEST(flags_refused)
  {
    bpf::Map map(hash_spec(4, 8));
    Batch batch(8, BPF_MAP_TYPE_HASH);
    uint32_t position, count = 8;
    void *keys = batch.keys.data(), *values = batch.values.data();
    CHECK_ERR(map.lookup_batch(nullptr, &position, keys, values, count, 0, 1), -EINVAL);
    CHECK_ERR(map.lookup_and_erase_batch(nullptr, &position, keys, values, count, 0, 1), -EINVAL);
    CHECK_ERR(map.lookup_batch(nullptr, &position, keys, values, count, BPF_F_LOCK), -EINVAL);
    CHECK_ERR(map.update_batch(keys, values, count, BPF_F_LOCK), -EINVAL);
    CHECK_ERR(map.erase_batch(keys, count, BPF_F_LOCK), -EINVAL);
  };
  // covers: hash N6
  SUBTEST(bad_pointers)
  {
    bpf::Map map(hash_spec(4, 8));
    Batch batch(8, BPF_MAP_TYPE_HASH);
    uint32_t position, count = 8;
    void *keys = batch.keys.data(), *values = batch.values.data();
    void *bad = reinterpret_cast<void *>(~0xfffUL);
    CHECK_ERR(map.update_batch(bad, values, count), -EFAULT);
    CHECK_ERR(map.update_batch(keys, bad, (count = 8)), -EFAULT);
    REQUIRE_OK(map.update_batch(keys, values, (count = 8)));
    CHECK_ERR(map.lookup_batch(bad, &position, keys, values, (count = 8)), -EFAULT);
    CHECK_ERR(map.lookup_batch(nullptr, &position, bad, values, (count = 8)), -EFAULT);
    CHECK_ERR(map.lookup_batch(nullptr, &position, keys, bad, (count = 8)), -EFAULT);
    CHECK_ERR(map.lookup_batch(nullptr, bad, keys, values, (count = 8)), -EFAULT);
    CHECK_ERR(map.erase_batch(bad, (count = 8)), -EFAULT);
    CHECK_EQ(read_in_steps(map, 8).size(), 8u);
  };
  // covers: hash T1, hash T3
  SUBTEST(lookup_and_delete)
  {
    for (auto type : {BPF_MAP_TYPE_HASH, BPF_MAP_TYPE_PERCPU_HASH, BPF_MAP_TYPE_LRU_HASH,
                      BPF_MAP_TYPE_LRU_PERCPU_HASH}) {
      bpf::Map map(spec_of(type, 8));
      std::vector<uint64_t> values(static_cast<size_t>(libbpf_num_possible_cpus()), 7),
          found(values);
      uint32_t key = 1;
      CHECK_ERR(map.lookup_and_erase(&key, found.data()), -ENOENT);
      CHECK_OK(map.update(&key, values.data()));
      found.assign(found.size(), 0);
      CHECK_OK(map.lookup_and_erase(&key, found.data()));
      CHECK_EQ(found[0], 7u);
      CHECK_ERR(map.lookup(&key, found.data()), -ENOENT);
      CHECK_ERR(map.lookup_and_erase(&key, found.data()), -ENOENT);
      CHECK_ERR(map.lookup_and_erase(&key, found.data(), BPF_F_LOCK), -EINVAL);
    }
  };
}
