// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The batch commands on an LPM trie, and lookup-and-delete, which it does not have.
#include "prog_tests/lpm_trie_key.h"

#include <set>

using lpm_test::trie_spec;

namespace
{

struct Key {
  uint32_t length;
  uint8_t data[4];
};

constexpr int enotsupp = 524; // the kernel's own, not in errno.h

// Nested and separate prefixes, one for each number.
Key numbered(uint32_t i) { return {16 + i % 3 * 8, {10, static_cast<uint8_t>(i), 0, 0}}; }

struct Batch {
  explicit Batch(uint32_t nr)
  {
    for (uint32_t i = 0; i < nr; i++) {
      keys.push_back(numbered(i));
      values.push_back(100 + i);
    }
  }
  std::vector<Key> keys;
  std::vector<uint64_t> values;
};

// Reads the whole trie in batches of step. The values seen, each of which must come once.
std::set<uint64_t> read_in_steps(const bpf::Map &map, uint32_t step)
{
  std::set<uint64_t> seen;
  Key position;
  void *in = nullptr;
  for (int err = 0, rounds = 0; !err && rounds < 100; rounds++, in = &position) {
    Batch batch(step);
    uint32_t count = step;
    err = map.lookup_batch(in, &position, batch.keys.data(), batch.values.data(), count);
    if (err != -ENOENT)
      CHECK_OK(err);
    CHECK(count <= step);
    for (uint32_t i = 0; i < count; i++)
      CHECK(seen.insert(batch.values[i]).second);
  }
  return seen;
}

} // namespace

TEST(lpm_trie_batch)
{
  // covers: lpm T10
  SUBTEST(update_lookup_erase)
  {
    bpf::Map map(trie_spec(4, 10));
    Batch batch(10);
    uint32_t count = 10;
    REQUIRE_OK(map.update_batch(batch.keys.data(), batch.values.data(), count));
    CHECK_EQ(count, 10u);
    for (uint32_t step = 1; step < 10; step++)
      CHECK_EQ(read_in_steps(map, step).size(), 10u);
    CHECK_OK(map.erase_batch(batch.keys.data(), count));
    CHECK_EQ(count, 10u);
    CHECK_ERR(map.next_key(nullptr, batch.keys.data()), -ENOENT);
  };
  // covers: lpm T10
  SUBTEST(lookup_in_empty_trie)
  {
    bpf::Map map(trie_spec(4, 10));
    Batch batch(4);
    Key position;
    uint32_t count = 4;
    CHECK_ERR(map.lookup_batch(nullptr, &position, batch.keys.data(), batch.values.data(), count),
              -ENOENT);
    CHECK_EQ(count, 0u);
  };
  // covers: lpm N8
  SUBTEST(update_stops_when_full)
  {
    bpf::Map map(trie_spec(4, 6));
    Batch batch(10);
    uint32_t count = 10;
    CHECK_ERR(map.update_batch(batch.keys.data(), batch.values.data(), count), -ENOSPC);
    CHECK_EQ(count, 6u);
    CHECK_EQ(read_in_steps(map, 4).size(), 6u);
  };
  // covers: lpm N8
  SUBTEST(update_stops_at_bad_key)
  {
    bpf::Map map(trie_spec(4, 10));
    Batch batch(10);
    batch.keys[3].length = 33;
    uint32_t count = 10;
    CHECK_ERR(map.update_batch(batch.keys.data(), batch.values.data(), count), -EINVAL);
    CHECK_EQ(count, 3u);
  };
  // covers: lpm N8
  SUBTEST(erase_stops_at_missing_key)
  {
    bpf::Map map(trie_spec(4, 10));
    Batch batch(10);
    uint32_t count = 5;
    REQUIRE_OK(map.update_batch(batch.keys.data(), batch.values.data(), count));
    count = 10;
    CHECK_ERR(map.erase_batch(batch.keys.data(), count), -ENOENT);
    CHECK_EQ(count, 5u);
    CHECK_EQ(read_in_steps(map, 4).size(), 0u);
  };
  // covers: lpm N8
  SUBTEST(nothing_to_do)
  {
    bpf::Map map(trie_spec(4, 10));
    Batch batch(1);
    Key position;
    uint32_t count = 0;
    CHECK_OK(map.update_batch(batch.keys.data(), batch.values.data(), count));
    CHECK_OK(map.erase_batch(batch.keys.data(), count));
    CHECK_OK(map.lookup_batch(nullptr, &position, batch.keys.data(), batch.values.data(), count));
    CHECK_EQ(count, 0u);
  };
  // covers: lpm N8
  SUBTEST(lock_flag_refused)
  {
    bpf::Map map(trie_spec(4, 10));
    Batch batch(1);
    Key position;
    uint32_t count = 1;
    CHECK_ERR(map.update_batch(batch.keys.data(), batch.values.data(), count, BPF_F_LOCK), -EINVAL);
    CHECK_ERR(map.erase_batch(batch.keys.data(), count, BPF_F_LOCK), -EINVAL);
    CHECK_ERR(map.lookup_batch(nullptr, &position, batch.keys.data(), batch.values.data(), count,
                               BPF_F_LOCK),
              -EINVAL);
  };
  // covers: lpm N8
  SUBTEST(lookup_and_delete_not_supported)
  {
    bpf::Map map(trie_spec(4, 10));
    Batch batch(1);
    Key position;
    uint32_t count = 1;
    REQUIRE_OK(map.update_batch(batch.keys.data(), batch.values.data(), count));
    CHECK_ERR(map.lookup_and_erase_batch(nullptr, &position, batch.keys.data(), batch.values.data(),
                                         count),
              -enotsupp);
    CHECK_ERR(map.lookup_and_erase(batch.keys.data(), batch.values.data()), -enotsupp);
    CHECK_OK(map.lookup(batch.keys.data(), batch.values.data()));
  };
}
