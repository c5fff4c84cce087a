// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The machine that is modelled: sizes of its caches, TLBs and predictors. From a preset, from a
// TOML file, or of this host.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace model
{

enum class Policy { Lru, PseudoLru, Fifo };
enum class Prefetch { None, NextLine, Stride };

struct CacheShape {
  uint64_t bytes = 0; // 0: there is none (the third level only)
  unsigned ways = 1;
  Policy policy = Policy::Lru;
};

struct TlbShape {
  unsigned entries = 64, ways = 4;
};

struct Machine {
  std::string name = "generic";
  unsigned line = 64; // bytes, of all caches
  CacheShape l1i{32 << 10, 8}, l1d{32 << 10, 8}, l2{512 << 10, 8}, l3{8 << 20, 16};
  TlbShape itlb{64, 4}, dtlb{64, 4}, second_tlb{1536, 12};
  Prefetch prefetch = Prefetch::None;
  unsigned conditional_bits = 14; // gshare: 2^bits counters, as many branches of history
  unsigned indirect_bits = 10;    // 2^bits targets
  unsigned return_entries = 16;
};

// What is wrong with a model, one sentence with its place.
struct machine_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A preset's name, "host", or a path that ends in .toml. Throws machine_error.
Machine find_machine(const std::string &name);
// Of the text of a TOML file; where: what errors begin with.
Machine parse_machine(const std::string &text, const std::string &where);
// A whole file. Throws machine_error.
std::string read_text(const std::string &path);
// As a TOML file that says all of it.
std::string to_text(const Machine &machine);
// The caches under a directory like /sys/devices/system/cpu/cpu0/cache.
Machine read_host(const std::string &directory);
std::vector<std::string> preset_names();

} // namespace model
