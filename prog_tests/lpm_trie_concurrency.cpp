// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One LPM trie under several threads and BPF programs at once. Bounded in operations, not in time.
#include <thread>

#include "prog_tests/lpm_trie_key.h"
#include "prog_tests/map_stress.h"

using lpm_test::make_key;
using lpm_test::trie_spec;
using map_test::run_threads;
using map_test::Stress;

// 33 nested prefixes of 0.0.0.0; a walk goes from /32 to /0.
static bpf::Map nested_prefixes()
{
  bpf::Map map(trie_spec(4, 33));
  for (uint32_t length = 0; length <= 32; length++) {
    uint64_t value = length;
    REQUIRE_OK(map.update(make_key(length, {0, 0, 0, 0}).data(), &value));
  }
  return map;
}

// Follows nr steps of the walk; how many went anywhere else.
static uint32_t wrong_steps(const bpf::Map &map, uint32_t nr)
{
  uint32_t wrong = 0, length = 0;
  for (uint32_t i = 0; i < nr; i++) {
    lpm_test::Bytes key = make_key(length, {0, 0, 0, 0}), next(8);
    int err = map.next_key(key.data(), next.data());
    wrong += length ? err || lpm_test::prefix_len(next) != length - 1 : err != -ENOENT;
    length = length ? length - 1 : 32;
  }
  return wrong;
}

TEST(lpm_trie_concurrency)
{
  // covers: lpm T5
  SUBTEST(four_threads_mixed)
  {
    Stress stress(trie_spec(4, 512));
    std::vector<std::function<void()>> bodies;
    for (uint32_t seed = 1; seed <= 3; seed++)
      bodies.push_back(stress.mixed_by_syscall(2000, 512, seed));
    bodies.push_back(stress.iterate(2000));
    run_threads(bodies);
    stress.check_counts(512);
    CHECK_EQ(stress.counts().foreign, 0u);
  };
  // covers: lpm N9
  SUBTEST(everything_at_once)
  {
    Stress stress(trie_spec(4, 256));
    run_threads({stress.mixed_by_syscall(30000, 256, 1), stress.mixed_by_syscall(30000, 256, 2),
                 stress.mixed_by_bpf(100000, 256, 3), stress.mixed_by_bpf(100000, 256, 4),
                 stress.iterate(20000), stress.read_batches(2000, 7)});
    stress.check_counts(256);
    CHECK_EQ(stress.counts().foreign, 0u);
  };
  SUBTEST(capacity_is_exact)
  {
    constexpr uint32_t max_entries = 300;
    Stress stress(trie_spec(4, max_entries));
    run_threads({stress.insert_by_syscall(0, 500), stress.insert_by_bpf(500, 500),
                 stress.insert_by_syscall(1000, 500), stress.insert_by_bpf(1500, 500)});
    CHECK_EQ(stress.check_counts(2000), max_entries);
    CHECK_EQ(stress.counts().full + stress.counts().busy, 2000u - max_entries);
  };
  SUBTEST(no_addition_lost)
  {
    Stress stress(trie_spec(4, 8));
    for (uint32_t number = 0; number < 8; number++)
      REQUIRE_OK(stress.insert(number));
    std::vector<std::function<void()>> bodies(4, stress.add_by_bpf(80000, 8));
    run_threads(bodies);
    for (uint64_t number = 0; number < 8; number++)
      CHECK_EQ(stress.value(static_cast<uint32_t>(number)), (number << 32) + 40000);
    CHECK_EQ(stress.counts().unexpected, 0u);
  };
  // covers: lpm T11
  SUBTEST(next_key_in_eight_threads)
  {
    bpf::Map map = nested_prefixes();
    std::atomic<uint32_t> wrong{0};
    std::vector<std::function<void()>> bodies(8, [&] { wrong += wrong_steps(map, 8192); });
    run_threads(bodies);
    CHECK_EQ(wrong.load(), 0u);
  };
  // A walk restarts where its key is deleted, but once nobody deletes any more it must end.
  // covers: lpm N11
  SUBTEST(iteration_ends)
  {
    Stress stress(trie_spec(4, 64));
    std::atomic<int> writers{2};
    uint32_t steps_after = 0;
    auto write = [&](uint32_t seed) {
      return [&, body = stress.mixed_by_syscall(20000, 64, seed)] {
        body();
        writers--;
      };
    };
    auto walk = [&] {
      stress_key key;
      int err = bpf_map_get_next_key(stress.fd(), nullptr, &key);
      while ((writers || !err) && steps_after < 1000) {
        steps_after += !writers;
        err = bpf_map_get_next_key(stress.fd(), err ? nullptr : &key, &key);
      }
    };
    run_threads({write(1), write(2), walk});
    // At most one more restart, then at most every entry once.
    CHECK(steps_after <= 2 * 64 + 2);
    stress.check_counts(64);
  };
}
