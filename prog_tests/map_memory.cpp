// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What maps give back: after overwrites, after adding and deleting in turn, after adding on one CPU
// and deleting on another, and after the map itself is gone. Measured in a memory cgroup of the
// test's own, in which everything that a map allocates is charged.
#include <unistd.h>

#include <chrono>
#include <thread>

#include "prog_tests/lpm_trie_key.h"
#include "prog_tests/map_stress.h"
#include "tools/lib/cpus.h"
#include "tools/lib/memory_cgroup.h"

using map_test::run_threads;
using map_test::Stress;
using namespace std::chrono_literals;

namespace
{

constexpr uint32_t nr_keys = 4096, rounds = 200;
// Every element is at least this big; what a use case would leak if it gave nothing back.
constexpr uint64_t least_element = 48, would_leak = rounds * nr_keys * least_element;

// The stated bound of what may stay: the caches of the allocator and the batches in which charges
// are counted, 512 KiB for every CPU, and 4 MiB. Far under what a leak of every element would be.
uint64_t allowance()
{
  return (4ULL << 20) + static_cast<uint64_t>(sysconf(_SC_NPROCESSORS_CONF)) * (512ULL << 10);
}

using Nudge = std::function<void()>;

// The allocator of maps hands back what waited for a grace period when a CPU next runs short of
// free elements: a few hundred operations on every CPU make it do so.
Nudge on_every_cpu(const std::function<void()> &work)
{
  return [work] {
    for (int cpu : allowed_cpus())
      run_threads({[&] {
        pin_this_thread(cpu);
        work();
      }});
  };
}

// As long as it takes, up to half a minute. The usage at the end.
uint64_t settle(const MemoryCgroup &cgroup, uint64_t limit, const Nudge &nudge)
{
  auto end = std::chrono::steady_clock::now() + 30s;
  uint64_t usage = cgroup.usage();
  while (usage > limit && std::chrono::steady_clock::now() < end) {
    nudge();
    std::this_thread::sleep_for(50ms);
    usage = cgroup.usage();
  }
  return usage;
}

void check_returns(const MemoryCgroup &cgroup, uint64_t base, const char *what, const Nudge &nudge)
{
  uint64_t usage = settle(cgroup, base + allowance(), nudge);
  test::log(fmt::format("{}, {}: {} KiB at first, {} KiB at the end", what, cgroup.kind(),
                        base >> 10, usage >> 10));
  CHECK(usage <= base + allowance());
}

void require_visible_leak()
{
  if (allowance() * 2 > would_leak)
    test::skip("so many CPUs that a leak would not be seen");
}

bpf::MapSpec spec_of(bpf_map_type type, uint32_t max_entries = nr_keys)
{
  bpf::MapSpec spec = lpm_test::trie_spec(4, max_entries);
  spec.type = type;
  return spec;
}

void overwrite(bpf_map_type type)
{
  require_visible_leak();
  MemoryCgroup cgroup;
  Stress stress(spec_of(type));
  stress.insert_by_bpf(0, nr_keys)();
  uint64_t base = cgroup.usage();
  for (uint32_t round = 0; round < rounds; round++)
    stress.overwrite_by_bpf(nr_keys, nr_keys)();
  check_returns(cgroup, base, "overwrite", on_every_cpu(stress.overwrite_by_bpf(256, 256)));
  CHECK_EQ(stress.check_counts(nr_keys), nr_keys);
}

Nudge add_and_erase_a_few(Stress &stress)
{
  return on_every_cpu([&] {
    stress.insert_by_bpf(0, 256)();
    stress.erase_by_bpf(0, 256)();
  });
}

void add_and_erase(bpf_map_type type)
{
  require_visible_leak();
  MemoryCgroup cgroup;
  Stress stress(spec_of(type));
  uint64_t base = cgroup.usage();
  for (uint32_t round = 0; round < rounds; round++) {
    stress.insert_by_bpf(0, nr_keys)();
    stress.erase_by_bpf(0, nr_keys)();
  }
  check_returns(cgroup, base, "add and erase in turn", add_and_erase_a_few(stress));
  CHECK_EQ(stress.check_counts(nr_keys), 0u);
  CHECK_EQ(stress.counts().full, 0u);
}

void add_and_erase_on_two_cpus(bpf_map_type type)
{
  require_visible_leak();
  std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2)
    test::skip("only one CPU");
  MemoryCgroup cgroup;
  Stress stress(spec_of(type));
  uint64_t base = cgroup.usage();
  std::atomic<uint32_t> turn{0};
  auto take_turns = [&](uint32_t mine, std::function<void()> work) {
    return [&, mine, work] {
      pin_this_thread(cpus[mine]);
      for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t now = turn; now % 2 != mine; now = turn)
          turn.wait(now);
        work();
        turn++;
        turn.notify_all();
      }
    };
  };
  run_threads({take_turns(0, stress.insert_by_bpf(0, nr_keys)),
               take_turns(1, stress.erase_by_bpf(0, nr_keys))});
  check_returns(cgroup, base, "add on one CPU, erase on another", add_and_erase_a_few(stress));
  CHECK_EQ(stress.check_counts(nr_keys), 0u);
  CHECK_EQ(stress.counts().full, 0u);
}

} // namespace

SERIAL_TEST(hash_map_memory)
{
  // covers: hash N7
  SUBTEST(overwrite_hash) { overwrite(BPF_MAP_TYPE_HASH); };
  // covers: hash N7
  SUBTEST(add_and_erase_hash) { add_and_erase(BPF_MAP_TYPE_HASH); };
  // covers: hash N7
  SUBTEST(add_and_erase_on_two_cpus_hash) { add_and_erase_on_two_cpus(BPF_MAP_TYPE_HASH); };
}

// Longest time that one millisecond took, until `done`.
static std::chrono::nanoseconds longest_nap(const std::atomic<bool> &done)
{
  std::chrono::nanoseconds longest{0};
  while (!done) {
    auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(1ms);
    longest = std::max(longest, std::chrono::steady_clock::now() - start);
  }
  return longest;
}

SERIAL_TEST(lpm_trie_memory)
{
  SUBTEST(overwrite_trie) { overwrite(BPF_MAP_TYPE_LPM_TRIE); };
  SUBTEST(add_and_erase_trie) { add_and_erase(BPF_MAP_TYPE_LPM_TRIE); };
  SUBTEST(add_and_erase_on_two_cpus_trie) { add_and_erase_on_two_cpus(BPF_MAP_TYPE_LPM_TRIE); };
  // covers: lpm N10
  SUBTEST(free_of_a_million_entries)
  {
    constexpr uint32_t million = 1000000;
    // A dense trie has about as many inner nodes as entries.
    if (static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE)) < 600ULL << 20)
      test::skip("less than 600 MiB of free memory");
    MemoryCgroup cgroup;
    uint64_t base = cgroup.usage(), full = 0;
    std::atomic<bool> done{false};
    std::chrono::nanoseconds longest{0};
    auto stress = std::make_unique<Stress>(spec_of(BPF_MAP_TYPE_LPM_TRIE, million));
    auto start = std::chrono::steady_clock::now();
    stress->insert_by_bpf(0, million)();
    auto filling = std::chrono::steady_clock::now() - start;
    full = cgroup.usage();
    run_threads({[&] { longest = longest_nap(done); },
                 [&] {
                   stress.reset();
                   settle(cgroup, base + allowance(), [] {});
                   done = true;
                 }});
    test::log(fmt::format("filled in {} ms; while it was freed one millisecond took at most {} ms",
                          filling / 1ms, longest / 1ms));
    CHECK(full >= base + million * least_element);
    check_returns(cgroup, base, "free", [] {});
    // Freeing walks as deep as filling did, and may hold a CPU no longer than that took: a measure
    // that fits an emulated or loaded machine as well.
    CHECK(longest < 2 * filling + 2s);
  };
}
