// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/model/caches.h"

#include <algorithm>
#include <bit>

namespace model
{

Cache::Cache(uint64_t sets, unsigned ways, Policy policy)
    : x_sets(sets), x_mask(std::has_single_bit(sets) ? sets - 1 : 0), x_ways(ways),
      x_policy(policy), x_tags(sets * ways, nothing),
      x_ages(policy == Policy::PseudoLru ? sets : sets * ways)
{
}

// The tree of pseudo-LRU: node i has children 2i and 2i + 1; a bit says which half is older.
static void point_away(uint64_t &bits, unsigned ways, unsigned way)
{
  for (unsigned node = 1, half = ways / 2; half > 0; half /= 2) {
    unsigned right = way / half & 1;
    bits = right ? bits & ~(uint64_t(1) << node) : bits | uint64_t(1) << node;
    node = 2 * node + right;
  }
}

static unsigned oldest_by(uint64_t bits, unsigned ways)
{
  unsigned node = 1;
  while (node < ways)
    node = 2 * node + (bits >> node & 1);
  return node - ways;
}

void Cache::touch(uint64_t set, unsigned way)
{
  if (x_policy == Policy::PseudoLru)
    point_away(x_ages[set], x_ways, way);
  else
    x_ages[set * x_ways + way] = ++x_clock;
}

unsigned Cache::victim(uint64_t set)
{
  auto tags = x_tags.begin() + static_cast<long>(set * x_ways);
  auto empty = std::find(tags, tags + x_ways, nothing);
  if (empty != tags + x_ways)
    return static_cast<unsigned>(empty - tags);
  if (x_policy == Policy::PseudoLru)
    return oldest_by(x_ages[set], x_ways);
  auto ages = x_ages.begin() + static_cast<long>(set * x_ways);
  return static_cast<unsigned>(std::min_element(ages, ages + x_ways) - ages);
}

bool Cache::access(uint64_t index, uint64_t tag)
{
  uint64_t set = set_of(index);
  uint64_t *tags = &x_tags[set * x_ways];
  for (unsigned way = 0; way < x_ways; way++)
    if (tags[way] == tag) {
      if (x_policy != Policy::Fifo)
        touch(set, way);
      return true;
    }
  unsigned way = victim(set);
  tags[way] = tag;
  touch(set, way);
  return false;
}

bool Cache::holds(uint64_t index, uint64_t tag) const
{
  auto tags = x_tags.begin() + static_cast<long>(set_of(index) * x_ways);
  return std::find(tags, tags + x_ways, tag) != tags + x_ways;
}

Hierarchy::Hierarchy(const Machine &machine)
    : x_l1i(machine.l1i, machine.line), x_l1d(machine.l1d, machine.line),
      x_l2(machine.l2, machine.line), x_lines_of_page(4096 / machine.line),
      x_prefetch(machine.prefetch)
{
  if (machine.l3.bytes)
    x_l3.emplace(machine.l3, machine.line);
}

Missed Hierarchy::access(Cache &first, uint64_t virtual_line, uint64_t line)
{
  Missed missed;
  missed.l1 = !first.access(virtual_line, line);
  missed.l2 = missed.l1 && !x_l2.access(line, line);
  missed.l3 = missed.l2 && x_l3 && !x_l3->access(line, line);
  return missed;
}

Missed Hierarchy::data(uint64_t virtual_line, uint64_t line)
{
  Missed missed = access(x_l1d, virtual_line, line);
  if (x_prefetch == Prefetch::NextLine && missed.l1)
    prefetch(line + 1);
  else if (x_prefetch == Prefetch::Stride)
    follow_stride(line);
  return missed;
}

// Into the second level, and not beyond the page: its neighbour may be anybody's.
void Hierarchy::prefetch(uint64_t line)
{
  if (line % x_lines_of_page == 0)
    return;
  x_l2.access(line, line);
  if (x_l3)
    x_l3->access(line, line);
}

// One stream for each page. The same distance twice, and the line after next is fetched.
void Hierarchy::follow_stride(uint64_t line)
{
  uint64_t page = line / x_lines_of_page;
  Stream &stream = x_streams[page % x_streams.size()];
  if (stream.page != page) {
    stream = {page, line, 0};
    return;
  }
  int64_t stride = static_cast<int64_t>(line - stream.line);
  if (stride == 0)
    return;
  uint64_t next = line + static_cast<uint64_t>(stride);
  if (stride == stream.stride && next / x_lines_of_page == page) {
    x_l2.access(next, next);
    if (x_l3)
      x_l3->access(next, next);
  }
  stream = {page, line, stride};
}

Tlb::Found Tlb::access(uint64_t address, bool large)
{
  uint64_t page = address >> (large ? 21 : 12), tag = page << 1 | large;
  Found found;
  found.missed_first = !x_first.access(page, tag);
  found.missed_second = found.missed_first && !x_second.access(page, tag);
  return found;
}

Walk walk_of(uint64_t address, bool large, unsigned line_bytes)
{
  // Above all physical addresses. An entry has eight bytes.
  constexpr uint64_t tables = uint64_t(1) << 57, directories = uint64_t(1) << 56;
  unsigned entries = line_bytes / 8;
  uint64_t of_directory = directories | (address >> 21 & 0x7ffffffff) / entries;
  uint64_t of_table = tables | (address >> 12 & 0xfffffffffff) / entries;
  return large ? Walk{{of_directory, 0}, 1} : Walk{{of_directory, of_table}, 2};
}

bool looks_large(uint64_t virtual_address, uint64_t physical_address)
{
  return virtual_address >> 63 && ((virtual_address ^ physical_address) & 0x1fffff) == 0;
}

bool is_large_code(uint64_t virtual_address)
{
  constexpr uint64_t kernel = 0xffffffff80000000, modules = 0xffffffffc0000000;
  return virtual_address >= kernel && virtual_address < modules;
}

} // namespace model
