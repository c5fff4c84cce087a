// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Hash maps under several threads and BPF programs at once. Bounded in operations, not in time.
#include <bpf/libbpf.h>
#include <unistd.h>

#include "prog_tests/hash_map_checks.h"
#include "prog_tests/map_stress.h"
#include "tools/lib/cpus.h"

using hash_test::hash_spec;
using map_test::run_threads;
using map_test::Stress;

static void everything_at_once(uint32_t flags)
{
  Stress stress(hash_spec(8, 256, flags));
  run_threads({stress.mixed_by_syscall(30000, 256, 1), stress.mixed_by_syscall(30000, 256, 2),
               stress.mixed_by_bpf(100000, 256, 3), stress.mixed_by_bpf(100000, 256, 4),
               stress.iterate(20000), stress.read_batches(2000, 50)});
  stress.check_counts(256);
}

// Four threads fill a map far beyond its size. The entries that it then holds.
static uint32_t overfill(uint32_t flags, uint32_t max_entries)
{
  Stress stress(hash_spec(8, max_entries, flags));
  run_threads({stress.insert_by_syscall(0, 1000), stress.insert_by_bpf(1000, 1000),
               stress.insert_by_syscall(2000, 1000), stress.insert_by_bpf(3000, 1000)});
  uint32_t entries = stress.check_counts(4000);
  CHECK_EQ(stress.counts().full + stress.counts().busy + entries, 4000u);
  return entries;
}

// Room is checked and taken under the lock of one bucket only, so that every other CPU may be
// between the two at the same time.
static void check_overshoot(uint32_t max_entries)
{
  uint32_t cpus = static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
  for (int round = 0; round < 5; round++) {
    uint32_t entries = overfill(BPF_F_NO_PREALLOC, max_entries);
    CHECK(entries >= max_entries);
    CHECK(entries <= max_entries + cpus - 1);
  }
}

static void no_addition_lost(uint32_t flags)
{
  Stress stress(hash_spec(8, 8, flags));
  for (uint32_t number = 0; number < 8; number++)
    REQUIRE_OK(stress.insert(number));
  std::vector<std::function<void()>> bodies(4, stress.add_by_bpf(80000, 8));
  run_threads(bodies);
  for (uint64_t number = 0; number < 8; number++)
    CHECK_EQ(stress.value(static_cast<uint32_t>(number)), (number << 32) + 40000);
  CHECK_EQ(stress.counts().unexpected, 0u);
}

// Every task its own keys: all updates, then all deletions, each of them counted.
static void update_then_delete(uint32_t nr_tasks, uint32_t flags)
{
  constexpr uint32_t each = 40;
  bpf::Map map(hash_spec(4, nr_tasks * each, flags));
  std::atomic<uint32_t> failed{0};
  std::vector<std::function<void()>> updates, deletions;
  for (uint32_t task = 0; task < nr_tasks; task++) {
    updates.push_back([&, task] {
      for (uint32_t key = task; key < nr_tasks * each; key += nr_tasks) {
        uint64_t value = key;
        failed += map.update(&key, &value, BPF_NOEXIST) != 0;
        failed += map.update(&key, &value, BPF_EXIST) != 0;
      }
    });
    deletions.push_back([&, task] {
      for (uint32_t key = task; key < nr_tasks * each; key += nr_tasks) {
        uint64_t value = 0;
        failed += map.lookup(&key, &value) != 0 || value != key;
        failed += map.erase(&key) != 0;
      }
    });
  }
  run_threads(updates);
  CHECK_EQ(failed.load(), 0u);
  run_threads(deletions);
  CHECK_EQ(failed.load(), 0u);
  uint32_t key;
  CHECK_ERR(map.next_key(nullptr, &key), -ENOENT);
}

// Everybody makes maps of his own, works on them and throws them away.
static int own_maps(uint32_t task)
{
  for (uint32_t flags : std::vector<uint32_t>{0, BPF_F_NO_PREALLOC}) {
    bpf::Map map(hash_spec(4, 16, flags));
    for (uint32_t key = 0; key < 16; key++) {
      uint64_t value = key + task, found = 0;
      if (map.update(&key, &value) || map.lookup(&key, &found) || found != value)
        return 1;
    }
    uint32_t key = 16;
    uint64_t value = 0;
    if (map.update(&key, &value) != -E2BIG)
      return 1;
  }
  return 0;
}

TEST(hash_map_concurrency)
{
  SUBTEST(everything_at_once_prealloc) { everything_at_once(0); };
  SUBTEST(everything_at_once_no_prealloc) { everything_at_once(BPF_F_NO_PREALLOC); };
  // covers: hash N2
  SUBTEST(capacity_is_exact_with_prealloc)
  {
    for (uint32_t max_entries : {1U, 64U, 500U})
      CHECK_EQ(overfill(0, max_entries), max_entries);
  };
  // covers: hash N2
  SUBTEST(capacity_overshoot_is_bounded) { check_overshoot(300); };
  // The kernel counts by CPU where half the entries are more than 32 for every CPU.
  // covers: hash N2
  SUBTEST(capacity_overshoot_with_percpu_counter)
  {
    uint32_t max_entries = 2 * (32 * static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)) + 1);
    if (max_entries > 3000)
      test::skip("so many CPUs that the map would be larger than this test");
    check_overshoot(max_entries);
  };
  SUBTEST(no_addition_lost_prealloc) { no_addition_lost(0); };
  SUBTEST(no_addition_lost_no_prealloc) { no_addition_lost(BPF_F_NO_PREALLOC); };
  // covers: hash T1
  SUBTEST(parallel_update_and_delete)
  {
    update_then_delete(20, 0);
    update_then_delete(20, BPF_F_NO_PREALLOC);
  };
  // covers: hash T1
  SUBTEST(hundred_tasks_with_own_maps)
  {
    std::atomic<int> failed{0};
    std::vector<std::function<void()>> bodies;
    for (uint32_t task = 0; task < 100; task++)
      bodies.push_back([&, task] { failed += own_maps(task); });
    run_threads(bodies);
    CHECK_EQ(failed.load(), 0);
  };
  // covers: hash T3
  SUBTEST(updates_of_one_key_on_one_cpu)
  {
    bpf::Map map(hash_spec(4, 1));
    int cpu = allowed_cpus().front();
    std::atomic<uint32_t> failed{0};
    std::vector<std::function<void()>> bodies;
    for (uint64_t thread = 0; thread < 4; thread++)
      bodies.push_back([&, thread] {
        pin_this_thread(cpu);
        uint32_t key = 7;
        for (uint64_t i = 0; i < 1000; i++) {
          uint64_t value = thread << 32 | i;
          failed += map.update(&key, &value) != 0;
        }
      });
    run_threads(bodies);
    CHECK_EQ(failed.load(), 0u);
    uint32_t key = 7;
    uint64_t value = 0;
    CHECK_OK(map.lookup(&key, &value));
    CHECK((value >> 32) < 4 && static_cast<uint32_t>(value) == 999);
  };
}
