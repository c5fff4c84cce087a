// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Branch predictors. Conditional: gshare (McFarling, 1993), two-bit counters that start at "weakly
// not taken", indexed by the address and the last branches. Indirect: the target seen last at this
// address after these branches. Returns: a stack, which forgets the oldest when it is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace model
{

class Gshare {
public:
  explicit Gshare(unsigned bits) : x_mask((uint64_t(1) << bits) - 1), x_counters(x_mask + 1, 1) {}

  // Whether it was predicted; learns.
  bool predict(uint64_t address, bool taken)
  {
    uint8_t &counter = x_counters[(address ^ x_history) & x_mask];
    bool right = (counter >= 2) == taken;
    counter = static_cast<uint8_t>(taken ? counter + (counter < 3) : counter - (counter > 0));
    x_history = (x_history << 1 | taken) & x_mask;
    return right;
  }
  uint64_t history() const { return x_history; }

private:
  uint64_t x_mask, x_history = 0;
  std::vector<uint8_t> x_counters;
};

class IndirectPredictor {
public:
  explicit IndirectPredictor(unsigned bits)
      : x_mask((uint64_t(1) << bits) - 1), x_targets(x_mask + 1)
  {
  }

  bool predict(uint64_t address, uint64_t history, uint64_t target)
  {
    uint64_t &last = x_targets[(address ^ history) & x_mask];
    bool right = last == target;
    last = target;
    return right;
  }

private:
  uint64_t x_mask;
  std::vector<uint64_t> x_targets;
};

class ReturnStack {
public:
  explicit ReturnStack(unsigned entries) : x_entries(entries) {}

  void call(uint64_t next)
  {
    x_top = (x_top + 1) % x_entries.size();
    x_entries[x_top] = next;
    x_used += x_used < x_entries.size();
  }
  // Nothing is predicted where it is empty.
  bool predict(uint64_t target)
  {
    if (!x_used)
      return false;
    bool right = x_entries[x_top] == target;
    x_top = (x_top + x_entries.size() - 1) % x_entries.size();
    x_used--;
    return right;
  }

private:
  std::vector<uint64_t> x_entries;
  size_t x_top = 0, x_used = 0;
};

} // namespace model
