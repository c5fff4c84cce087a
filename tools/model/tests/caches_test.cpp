// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Caches and TLBs against sequences worked out by hand: 'm' is a miss, 'h' a hit.
#include "tools/model/caches.h"

#include <string>

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace model;

static std::string run(Cache &cache, std::initializer_list<uint64_t> lines)
{
  std::string out;
  for (uint64_t line : lines)
    out += cache.access(line, line) ? 'h' : 'm';
  return out;
}

TEST(lru_drops_what_was_used_longest_ago)
{
  Cache cache(1, 2, Policy::Lru);
  // 1 2 | 1 stays young | 3 drops 2 | 2 drops 1
  expect_eq(run(cache, {1, 2, 1, 3, 1, 2, 3}), "mmhmhmm");
}

TEST(fifo_drops_what_came_first)
{
  Cache cache(1, 2, Policy::Fifo);
  // 3 drops 1 although it was used; 1 drops 2; 2 drops 3
  expect_eq(run(cache, {1, 2, 1, 3, 1, 2, 1}), "mmhmmmh");
}

TEST(pseudo_lru_follows_its_tree)
{
  Cache cache(1, 4, Policy::PseudoLru);
  // Filled in order 1 2 3 4, the tree points to 1. A use of 1 turns the root to the right half and
  // the left pair to 2; the right pair points to 3, since 4 came last: 5 drops 3. True LRU drops 2.
  expect_eq(run(cache, {1, 2, 3, 4, 1, 5}), "mmmmhm");
  expect(cache.holds(0, 2) && !cache.holds(0, 3), "3 is gone");
  // 5 turned the root left, where the pair points to 2.
  expect_eq(run(cache, {6}), "m");
  expect(!cache.holds(0, 2) && cache.holds(0, 1), "2 is gone");
}

TEST(sets_do_not_meet)
{
  Cache cache(2, 1, Policy::Lru);
  expect_eq(run(cache, {0, 1, 0, 1, 2, 0, 1}), "mmhhmmh"); // 0 and 2 share a set
}

TEST(sets_need_no_power_of_two)
{
  Cache cache(3, 1, Policy::Lru);
  expect_eq(run(cache, {0, 1, 2, 3, 0, 1}), "mmmmmh");
}

TEST(lru_walks_over_one_line_too_many_and_misses_all)
{
  Cache cache(1, 8, Policy::Lru);
  unsigned misses = 0;
  for (int pass = 0; pass < 3; pass++)
    for (uint64_t line = 0; line < 9; line++)
      misses += !cache.access(0, line);
  expect_eq(misses, 27u);
}

static Machine small()
{
  Machine machine;
  machine.l1i = machine.l1d = {2 * 64, 1}; // two sets of one line
  machine.l2 = {4 * 64, 4};                // one set
  machine.l3 = {8 * 64, 8};
  return machine;
}

static std::string levels(Hierarchy &caches, std::initializer_list<uint64_t> lines)
{
  std::string out;
  for (uint64_t line : lines) {
    Missed missed = caches.data(line, line);
    out += missed.l3 ? '4' : missed.l2 ? '3' : missed.l1 ? '2' : '1'; // who answered, 4: memory
  }
  return out;
}

TEST(levels_answer_in_turn)
{
  Hierarchy caches(small());
  // 0 and 2 push one another out of L1; five lines are too many for L2; L3 keeps all eight.
  expect_eq(levels(caches, {0, 0, 2, 0, 1, 1}), "414241");
  expect_eq(levels(caches, {4, 6, 0}), "442"); // L2 {0,2,1,4}: 6 drops 2, which was used before 0
  expect_eq(levels(caches, {2}), "3");
}

TEST(code_and_data_meet_in_the_second_level)
{
  Hierarchy caches(small());
  Missed code = caches.fetch(5, 5), data = caches.data(5, 5);
  expect(code.l1 && code.l2 && code.l3, "from memory");
  expect(data.l1 && !data.l2, "from L2");
}

TEST(first_level_is_indexed_by_the_virtual_address)
{
  Hierarchy caches(small());
  caches.data(0, 8); // two names of sets, one line
  expect(!caches.data(0, 8).l1, "same index");
  expect(caches.data(1, 8).l1, "under another index it is not found");
}

TEST(next_line_prefetch_stops_at_the_page)
{
  Machine machine = small();
  machine.prefetch = Prefetch::NextLine;
  Hierarchy caches(machine);
  expect_eq(levels(caches, {10, 11}), "42");
  expect_eq(levels(caches, {63, 64}), "44");
}

TEST(stride_prefetch_needs_the_same_distance_twice)
{
  Machine machine;
  machine.prefetch = Prefetch::Stride;
  Hierarchy caches(machine);
  expect_eq(levels(caches, {0, 3, 6, 9, 12}), "44422"); // at 6 it is sure, and fetches 9
  expect_eq(levels(caches, {100, 105, 101, 110}), "4444");
}

TEST(tlb_has_two_levels_and_two_sizes)
{
  Cache second(1, 2, Policy::Lru);
  Tlb tlb({1, 1}, second);
  auto look = [&](uint64_t address, bool large) {
    Tlb::Found found = tlb.access(address, large);
    return found.missed_second ? 'w' : found.missed_first ? '2' : '1';
  };
  std::string out;
  for (uint64_t page : {0, 0, 1, 0, 2, 1})
    out += look(page << 12, false);
  expect_eq(out, "w1w2ww"); // 0 1 | 2 drops 1, used before 0 | 1 drops 0
  expect_eq(look(0x1fffff, true), 'w');
  expect_eq(look(0, true), '1'); // one entry for 2 MiB
}

TEST(walks_read_entries_that_share_lines)
{
  Walk small_page = walk_of(0x200000, false, 64), next = walk_of(0x207000, false, 64),
       far = walk_of(0x208000, false, 64);
  expect_eq(small_page.nr, 2u);
  expect_eq(small_page.lines[1], next.lines[1]); // eight entries of 8 bytes
  expect(next.lines[1] != far.lines[1], "the ninth is on another line");
  expect_eq(small_page.lines[0], far.lines[0]);
  expect_eq(walk_of(0x200000, true, 64).nr, 1u);
}

TEST(large_pages_are_recognised)
{
  expect(looks_large(0xffff888001234567, 0x1234567), "direct map");
  expect(!looks_large(0xffffc90000001000, 0x1234000), "vmalloc");
  expect(!looks_large(0x1234567, 0x1234567), "user space");
  expect(is_large_code(0xffffffff81000000) && !is_large_code(0xffffffffc0200000), "code");
}
