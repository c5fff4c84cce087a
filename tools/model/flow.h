// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a guest executes, from the blocks that QEMU says it enters. QEMU's plugin interface tells of
// no interrupt: one is a block that nothing before it leads to. It lasts until an iret leads back
// to where it came. A handler that returns into the middle of the block it left, again and again,
// is one of faults, which are the program's own work; all others are of interrupts.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tools/model/decode.h"

namespace model
{

// A translation of QEMU's: instructions that run one after another.
struct Block {
  uint64_t start = 0, end = 0; // end: of the last byte, and one
  uint32_t insns = 0;
  Kind kind = Kind::Plain;       // of the last instruction
  uint64_t last = 0;             // its address
  uint64_t target = 0;           // see Decoded
  std::vector<uint64_t> starts;  // of each instruction
  std::vector<uint64_t> fetches; // cache lines of the code, physical
};

// How many instructions of the block lie before address; -1 where none begins there.
int index_of(const Block &block, uint64_t address);

// Whether this block's last instruction may lead there.
bool may_lead(const Block &block, uint64_t address);

// What entering a block says of the ones before.
struct Step {
  const Block *from = nullptr; // whose last instruction led here; null: none did
  bool from_counts = false;    // whether that one was no part of an interrupt
  // A block that was left before its end, and how many of its instructions were not executed.
  const Block *cut = nullptr;
  uint32_t unexecuted = 0;
  bool cut_counts = false;
  bool interrupt = false; // begins here
};

class Flow {
public:
  Step enter(const Block &block);
  // Not in the handler of an interrupt, nor in a task that is not meant.
  bool counts() const { return x_interrupts == 0 && (x_all || x_task == x_meant); }
  // Forgets what is open in this task; handlers stay known. all: from now on all tasks are meant,
  // else this one.
  void restart(bool all);
  // In the middle of a block. Each task has handlers of its own open: one that is interrupted may
  // be put aside for another.
  void switch_task(uint64_t task);

private:
  struct Open {
    const Block *left;
    uint64_t handler;
    bool interrupt, counts;
  };
  struct Votes {
    uint32_t inside = 0, outside = 0;
  };

  bool interrupts_at(uint64_t address) const;
  Step leave_for_handler(const Block &block);
  bool come_back(const Block &block, Step &step);
  void close(size_t index, const Block &block, Step &step);

  const Block *x_previous = nullptr;
  bool x_previous_counts = false;
  std::vector<Open> x_open; // of this task
  uint64_t x_task = 0, x_meant = 0;
  bool x_all = true;
  std::unordered_map<uint64_t, std::vector<Open>> x_others; // those that are put aside
  unsigned x_interrupts = 0;                                // open ones of this task
  std::unordered_map<uint64_t, Votes> x_handlers;
};

} // namespace model
