// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Several threads push into one filter, by system call and by BPF program at once, while others
// peek. Bits are set in shared words, so a push that loses a neighbour's bit would show as a false
// negative: what was pushed must be found from the moment its push returned, by everybody.
#include <atomic>
#include <barrier>
#include <thread>

#include "prog_tests/bloom_filter.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

namespace
{

constexpr uint32_t pushers = 4;       // half of them BPF programs
constexpr uint32_t per_pusher = 4096; // values
constexpr uint32_t burst = 64;        // values of one program run

// What the threads share. No CHECK_* in a thread: they count, the test judges.
struct Shared {
  explicit Shared(__u32 entries) : skel("bloom_filter"), start(pushers + 1)
  {
    bpf::check(bpf_map__set_max_entries(skel->maps.bloom, entries), "set max_entries of", "bloom");
    skel.load();
  }
  int map_fd() const { return bpf_map__fd(skel->maps.bloom); }

  bpf::Skeleton<bloom_filter> skel;
  std::barrier<> start;
  std::atomic<uint32_t> pushed[pushers] = {}; // values of each thread whose push has returned
  std::atomic<uint32_t> running = pushers;
  std::atomic<uint64_t> lost = 0;   // found missing after their push returned
  std::atomic<uint64_t> failed = 0; // calls that gave something else than 0 and -ENOENT
  std::atomic<uint64_t> peeks = 0;
};

uint64_t number(uint32_t thread, uint32_t i) { return (uint64_t(thread) << 32) + i; }

void peek(Shared &shared, uint64_t n)
{
  __u64 value = bloom_value(n);
  int err = bpf_map_lookup_elem(shared.map_fd(), nullptr, &value);
  shared.lost += err == -ENOENT;
  shared.failed += err && err != -ENOENT;
  shared.peeks++;
}

void push_by_syscall(Shared &shared, uint32_t thread)
{
  shared.start.arrive_and_wait();
  for (uint32_t i = 0; i < per_pusher; i++) {
    __u64 value = bloom_value(number(thread, i));
    shared.failed += bpf_map_update_elem(shared.map_fd(), nullptr, &value, BPF_ANY) != 0;
    shared.pushed[thread] = i + 1;
    peek(shared, number(thread, i));
  }
  shared.running--;
}

void push_by_program(Shared &shared, uint32_t thread)
{
  shared.start.arrive_and_wait();
  for (uint32_t i = 0; i < per_pusher; i += burst) {
    bloom_args args = {.first = number(thread, i), .count = burst, .op = BLOOM_PUSH_THEN_PEEK};
    shared.failed += bloom::run(shared.skel->progs.bloom_run, args) != 0;
    shared.failed += args.failed;
    shared.lost += args.absent;
    shared.peeks += args.done + args.absent - burst;
    shared.pushed[thread] = i + burst;
  }
  shared.running--;
}

// Looks for what the others have told to be in, newest and older ones in turn.
void watch(Shared &shared)
{
  shared.start.arrive_and_wait();
  for (uint64_t round = 0; shared.running; round++) {
    uint32_t thread = round % pushers, count = shared.pushed[thread];
    if (count)
      peek(shared, number(thread, round & 4 ? count - 1 : bloom_value(round) % count));
  }
}

void run_threads(Shared &shared)
{
  std::vector<std::jthread> threads;
  for (uint32_t thread = 0; thread < pushers; thread++) {
    auto body = thread % 2 ? push_by_program : push_by_syscall;
    threads.emplace_back([&shared, body, thread] { body(shared, thread); });
  }
  threads.emplace_back([&shared] { watch(shared); });
}

void check_all_there(Shared &shared)
{
  uint64_t before = shared.peeks;
  for (uint32_t thread = 0; thread < pushers; thread++) {
    CHECK_EQ(shared.pushed[thread].load(), per_pusher);
    for (uint32_t i = 0; i < per_pusher; i++)
      peek(shared, number(thread, i));
  }
  CHECK_EQ(shared.peeks - before, uint64_t(pushers) * per_pusher);
}

} // namespace

// covers: bloom N16
TEST(bloom_filter_concurrent)
{
  test::require(probe::map_bloom);
  test::require(probe::test_run);
  // Fewer entries: denser words, but soon nothing is left to lose.
  for (__u32 entries : {2000, 16384, 200000}) {
    SUBTEST_NAMED(fmt::format("{}_entries", entries))
    {
      Shared shared(entries);
      run_threads(shared);
      check_all_there(shared);
      test::log(fmt::format("{} peeks\n", shared.peeks.load()));
      CHECK_EQ(shared.lost.load(), 0U);
      CHECK_EQ(shared.failed.load(), 0U);
      // Every push was followed by one peek at least, and all were looked for in the end.
      CHECK(shared.peeks >= 2 * uint64_t(pushers) * per_pusher);
    };
  }
  // The counting itself: a value that nobody pushed counts as lost.
  SUBTEST(counts_what_is_lost)
  {
    Shared shared(1000);
    peek(shared, number(7, 7));
    CHECK_EQ(shared.lost.load(), 1U);
    CHECK_EQ(shared.failed.load(), 0U);
  };
}
