// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The checks of hash_map_checks.h. Each starts from an empty map; `map` and `out` are what every
// check is handed.
#include "prog_tests/hash_map_checks.h"

#include <algorithm>

namespace hash_test
{

using map_test::absent;
using map_test::Check;
using map_test::Findings;
using map_test::keys_of;
using map_test::MapOps;
using map_test::value_of;

static constexpr uint64_t any = BPF_ANY, noexist = BPF_NOEXIST, exist = BPF_EXIST;

static Bytes key_of(MapOps &map, uint64_t number) { return make_key(map.spec().key_size, number); }

static void lookup_finds_what_was_put(MapOps &map, Findings &out)
{
  EXPECT(value_of(map, key_of(map, 1)), absent);
  EXPECT(map.update(key_of(map, 1), 11, any), 0);
  EXPECT(map.update(key_of(map, 2), 22, any), 0);
  EXPECT(value_of(map, key_of(map, 1)), 11);
  EXPECT(value_of(map, key_of(map, 2)), 22);
  EXPECT(value_of(map, key_of(map, 3)), absent);
}

static void noexist_adds_once(MapOps &map, Findings &out)
{
  EXPECT(map.update(key_of(map, 1), 11, noexist), 0);
  EXPECT(map.update(key_of(map, 1), 12, noexist), -EEXIST);
  EXPECT(value_of(map, key_of(map, 1)), 11);
}

static void exist_overwrites_only(MapOps &map, Findings &out)
{
  EXPECT(map.update(key_of(map, 1), 11, exist), -ENOENT);
  EXPECT(value_of(map, key_of(map, 1)), absent);
  EXPECT(map.update(key_of(map, 1), 11, any), 0);
  EXPECT(map.update(key_of(map, 1), 12, exist), 0);
  EXPECT(value_of(map, key_of(map, 1)), 12);
  EXPECT(map.update(key_of(map, 1), 13, any), 0);
  EXPECT(value_of(map, key_of(map, 1)), 13);
}

static void unknown_flags_refused(MapOps &map, Findings &out)
{
  for (uint64_t flags :
       std::vector<uint64_t>{noexist | exist, BPF_F_LOCK, BPF_F_LOCK | exist, 8, 1ULL << 31,
                             1ULL << 32, 1ULL << 32 | exist, 1ULL << 63, ~0ULL})
    EXPECT(map.update(key_of(map, 1), 1, flags), -EINVAL);
  EXPECT(value_of(map, key_of(map, 1)), absent);
}

static void erase_takes_away(MapOps &map, Findings &out)
{
  EXPECT(map.erase(key_of(map, 1)), -ENOENT);
  EXPECT(map.update(key_of(map, 1), 11, any), 0);
  EXPECT(map.update(key_of(map, 2), 22, any), 0);
  EXPECT(map.erase(key_of(map, 1)), 0);
  EXPECT(map.erase(key_of(map, 1)), -ENOENT);
  EXPECT(value_of(map, key_of(map, 1)), absent);
  EXPECT(value_of(map, key_of(map, 2)), 22);
  EXPECT(map.update(key_of(map, 1), 33, noexist), 0);
  EXPECT(value_of(map, key_of(map, 1)), 33);
}

static void full_map(MapOps &map, Findings &out)
{
  const uint32_t max = map.spec().max_entries;
  for (uint32_t i = 0; i < max; i++)
    EXPECT(map.update(key_of(map, i), i, any), 0);
  EXPECT(map.update(key_of(map, max), 1, noexist), -E2BIG);
  EXPECT(map.update(key_of(map, max), 1, any), -E2BIG);
  EXPECT(map.update(key_of(map, max), 1, exist), -ENOENT);
  EXPECT(map.update(key_of(map, 0), 1, noexist), -EEXIST);
  EXPECT(keys_of(map, max + 9).size(), max);
}

static void overwrite_when_full(MapOps &map, Findings &out)
{
  const uint32_t max = map.spec().max_entries;
  for (uint32_t i = 0; i < max; i++)
    EXPECT(map.update(key_of(map, i), i, any), 0);
  for (uint32_t i = 0; i < max; i++) {
    EXPECT(map.update(key_of(map, i), 100 + i, exist), 0);
    EXPECT(map.update(key_of(map, i), 200 + i, any), 0);
    EXPECT(value_of(map, key_of(map, i)), 200 + i);
  }
  EXPECT(keys_of(map, max + 9).size(), max);
}

// Nothing that fails or replaces may use up room, and what is deleted gives its room back.
static void capacity_is_not_leaked(MapOps &map, Findings &out)
{
  const uint32_t max = map.spec().max_entries;
  for (uint32_t i = 0; i < max; i++)
    EXPECT(map.update(key_of(map, i), i, any), 0);
  for (uint32_t i = 0; i < 3 * max; i++) {
    EXPECT(map.update(key_of(map, i), 1, noexist), -EEXIST);
    EXPECT(map.update(key_of(map, i), 1, exist), 0);
    EXPECT(map.update(key_of(map, max + i), 1, noexist), -E2BIG);
    EXPECT(map.erase(key_of(map, i)), 0);
    EXPECT(map.erase(key_of(map, i)), -ENOENT);
    EXPECT(map.update(key_of(map, max + i), 1, noexist), 0);
  }
  EXPECT(keys_of(map, 9 * max).size(), max);
}

static void iteration_visits_each_once(MapOps &map, Findings &out)
{
  Bytes key;
  EXPECT(map.next_key(nullptr, key), -ENOENT);
  std::vector<Bytes> expected;
  for (uint32_t i = 0; i < map.spec().max_entries; i++) {
    expected.push_back(key_of(map, i * 7919));
    EXPECT(map.update(expected.back(), i, any), 0);
  }
  std::vector<Bytes> keys = keys_of(map, expected.size() + 9);
  std::sort(keys.begin(), keys.end());
  std::sort(expected.begin(), expected.end());
  EXPECT(keys == expected, true);
}

static void unknown_key_restarts_iteration(MapOps &map, Findings &out)
{
  for (uint32_t i = 1; i < 6; i++)
    EXPECT(map.update(key_of(map, i), i, any), 0);
  Bytes first, key, unknown = key_of(map, 77), last;
  EXPECT(map.next_key(nullptr, first), 0);
  EXPECT(map.next_key(&unknown, key), 0);
  EXPECT(key == first, true);
  std::vector<Bytes> keys = keys_of(map, 20);
  if (!EXPECT(keys.size(), 5))
    return;
  last = keys.back();
  EXPECT(map.next_key(&last, key), -ENOENT);
  // The documented trap: the key that was just deleted is an unknown one too.
  EXPECT(map.erase(last), 0);
  EXPECT(map.next_key(&last, key), 0);
  EXPECT(key == first, true);
}

// Deleting what was just visited ends, if the next key is taken first.
static void erase_while_iterating(MapOps &map, Findings &out)
{
  const uint32_t max = map.spec().max_entries;
  for (uint32_t i = 0; i < max; i++)
    EXPECT(map.update(key_of(map, i), i, any), 0);
  uint32_t visited = 0;
  Bytes key, next;
  int err = map.next_key(nullptr, key);
  while (!err && visited <= max) {
    err = map.next_key(&key, next);
    EXPECT(map.erase(key), 0);
    key = next;
    visited++;
  }
  EXPECT(visited, max);
  EXPECT(err, -ENOENT);
  EXPECT(keys_of(map, 9).size(), 0);
}

// Every byte of the key tells keys apart, also the last one where the size is no multiple of 4.
static void every_byte_of_the_key_counts(MapOps &map, Findings &out)
{
  const uint32_t size = map.spec().key_size;
  for (uint32_t i = 0; i < size; i++) {
    Bytes key(size);
    key[i] = 1;
    EXPECT(map.update(key, i, noexist), 0);
  }
  EXPECT(value_of(map, Bytes(size)), absent);
  for (uint32_t i = 0; i < size; i++) {
    Bytes key(size);
    key[i] = 1;
    EXPECT(value_of(map, key), i);
    key[i] = 0x81;
    EXPECT(value_of(map, key), absent);
  }
}

static void walk_of_many_with_updates(MapOps &map, Findings &out)
{
  const uint32_t max = map.spec().max_entries;
  for (uint32_t i = 0; i < max; i++)
    EXPECT(map.update(key_of(map, i), i, noexist), 0);
  uint32_t visited = 0;
  for (const Bytes &key : keys_of(map, max + 9)) {
    uint64_t value = value_of(map, key);
    EXPECT(map.update(key, value + max, exist), 0);
    visited++;
  }
  EXPECT(visited, max);
  for (uint32_t i = 0; i < max; i++)
    if (!EXPECT(value_of(map, key_of(map, i)), i + max))
      return;
}

static void random_ops_equal_model(MapOps &map, Findings &out)
{
  model::Random random(model::seed_of("random_ops_equal_model"));
  std::vector<Op> ops;
  for (int i = 0; i < 1500; i++)
    ops.push_back(random_op(random, map.spec().key_size, 2 * map.spec().max_entries));
  if (auto reason = compare_with_model(map, ops))
    out.add(*reason + fmt::format(" (--seed {})", test::seed()));
}

std::vector<Check> checks(uint32_t flags)
{
  std::vector<Check> all = {
      // subtests of: hash_map_ops hash_map_ops_no_prealloc hash_map_ops_bpf
      // hash_map_ops_bpf_no_prealloc
      // covers: hash T1
      {"lookup_finds_what_was_put", hash_spec(4, 8), lookup_finds_what_was_put},
      // covers: hash T1
      {"noexist_adds_once", hash_spec(4, 8), noexist_adds_once},
      // covers: hash T1
      {"exist_overwrites_only", hash_spec(4, 8), exist_overwrites_only},
      // covers: hash T1, hash N5
      {"unknown_flags_refused", hash_spec(4, 8), unknown_flags_refused},
      // covers: hash T1
      {"erase_takes_away", hash_spec(4, 8), erase_takes_away},
      // covers: hash T1, hash N2
      {"full_map", hash_spec(4, 8), full_map},
      // covers: hash N2
      {"full_map_of_one", hash_spec(4, 1), full_map},
      // covers: hash N2
      {"full_map_of_many", hash_spec(4, 1000), full_map},
      // covers: hash T1, hash N3
      {"overwrite_when_full", hash_spec(4, 8), overwrite_when_full},
      // covers: hash N2, hash N3
      {"capacity_is_not_leaked", hash_spec(4, 8), capacity_is_not_leaked},
      // covers: hash T1
      {"iteration_visits_each_once", hash_spec(4, 300), iteration_visits_each_once},
      // covers: hash T1, hash N8
      {"unknown_key_restarts_iteration", hash_spec(4, 8), unknown_key_restarts_iteration},
      // covers: hash N8
      {"erase_while_iterating", hash_spec(4, 300), erase_while_iterating},
      // covers: hash N5
      {"every_byte_counts_1_byte", hash_spec(1, 1), every_byte_of_the_key_counts},
      // covers: hash N5
      {"every_byte_counts_3_bytes", hash_spec(3, 600), every_byte_of_the_key_counts},
      {"every_byte_counts_4_bytes", hash_spec(4, 600), every_byte_of_the_key_counts},
      // covers: hash N5
      {"every_byte_counts_13_bytes", hash_spec(13, 600), every_byte_of_the_key_counts},
      {"every_byte_counts_512_bytes", hash_spec(512, 600), every_byte_of_the_key_counts},
      // covers: hash T1
      {"walk_of_many_with_updates", hash_spec(4, 10000), walk_of_many_with_updates},
      {"random_ops_equal_model", hash_spec(5, 24), random_ops_equal_model},
  };
  for (Check &check : all)
    check.spec.flags |= flags;
  return all;
}

} // namespace hash_test
