// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Caches and TLBs: sets of a few places, each with the tag that lies there. What is held is only
// whether something is there, no contents; a write is like a read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tools/model/machine.h"

namespace model
{

// One set-associative store of tags.
class Cache {
public:
  Cache(uint64_t sets, unsigned ways, Policy policy);
  Cache(const CacheShape &shape, unsigned line)
      : Cache(shape.bytes / line / shape.ways, shape.ways, shape.policy)
  {
  }

  // Whether the tag was there; it is afterwards. index chooses the set, by its remainder.
  bool access(uint64_t index, uint64_t tag);
  // Without a change.
  bool holds(uint64_t index, uint64_t tag) const;

private:
  static constexpr uint64_t nothing = ~uint64_t(0);
  uint64_t set_of(uint64_t index) const { return x_mask ? index & x_mask : index % x_sets; }
  unsigned victim(uint64_t set);
  void touch(uint64_t set, unsigned way);

  uint64_t x_sets;
  uint64_t x_mask; // where the sets are a power of two; a division for each access costs
  unsigned x_ways;
  Policy x_policy;
  uint64_t x_clock = 0;
  std::vector<uint64_t> x_tags;
  std::vector<uint64_t>
      x_ages; // Lru: last use; Fifo: arrival; PseudoLru: the set's bits, one a set
};

// What one access missed.
struct Missed {
  bool l1 = false, l2 = false, l3 = false;
};

// First-level caches for code and data over a shared second and third level. Lines come into all
// levels on their way; what one level drops the others keep.
class Hierarchy {
public:
  explicit Hierarchy(const Machine &machine);

  // Lines: addresses divided by the size of one. The first level is indexed by the virtual one, and
  // all tags are physical.
  Missed fetch(uint64_t virtual_line, uint64_t line) { return access(x_l1i, virtual_line, line); }
  Missed data(uint64_t virtual_line, uint64_t line);

private:
  Missed access(Cache &first, uint64_t virtual_line, uint64_t line);
  void prefetch(uint64_t line);
  void follow_stride(uint64_t line);

  Cache x_l1i, x_l1d, x_l2;
  std::optional<Cache> x_l3;
  uint64_t x_lines_of_page;
  Prefetch x_prefetch;
  struct Stream {
    uint64_t page = ~uint64_t(0), line = 0;
    int64_t stride = 0;
  };
  std::array<Stream, 16> x_streams;
};

inline Cache make_tlb(const TlbShape &shape)
{
  return {shape.entries / shape.ways, shape.ways, Policy::Lru};
}

// A first-level TLB over a second level that code and data share. Pages of 4 KiB and 2 MiB share
// the entries of each level.
class Tlb {
public:
  Tlb(const TlbShape &first, Cache &second) : x_first(make_tlb(first)), x_second(second) {}
  struct Found {
    bool missed_first = false, missed_second = false;
  };
  Found access(uint64_t address, bool large);

private:
  Cache x_first;
  Cache &x_second;
};

// The entries of the page table that a walk reads, as lines of an address space of their own: that
// of the page, and of a small page that of its table. Upper levels are taken to be in the walker's
// own caches.
struct Walk {
  std::array<uint64_t, 2> lines;
  unsigned nr;
};
Walk walk_of(uint64_t address, bool large, unsigned line_bytes);

// API 1 does not tell a page's size. In the kernel's half a page is taken for one of 2 MiB where
// the last 21 bits of both addresses agree: in 1 of 512 small pages they do by chance.
bool looks_large(uint64_t virtual_address, uint64_t physical_address);
// Of code: the kernel's own has large pages; modules, BPF programs and user space have small ones.
bool is_large_code(uint64_t virtual_address);

} // namespace model
