// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Counts what the guest does between the marks: instructions, and what the modelled machine makes
// of their code, data and branches. What is outside the marks or part of an interrupt never gets
// here, so the modelled caches see nothing of it.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "tools/model/caches.h"
#include "tools/model/flow.h"
#include "tools/model/predictors.h"
#include "tools/model/profile.h"

namespace model
{

class Recorder {
public:
  explicit Recorder(const Machine &machine);

  // In the middle of a block, perhaps. keep: in the profile, too.
  void begin(bool keep, const Block *in = nullptr);
  void reset(); // sums and profile; the machine stays as warm as it is

  void enter(const Block &block);
  // The instructions of the current block after this one, or those to it, are not counted after
  // all.
  void add_insns(int64_t insns);
  void cut(uint32_t unexecuted) { add_insns(-static_cast<int64_t>(unexecuted)); }
  // The last instruction of a block led to this address.
  void lead(const Block &from, uint64_t to);
  // Each task has a stack of its own.
  void switch_task(uint64_t task);
  void access(uint64_t address, uint64_t physical, unsigned bytes, bool store);
  void access_device(bool store) { count(store ? Stores : Loads); }

  const Counts &sums() const { return x_sums; }
  const Profile &profile() const { return x_profile; }

private:
  struct Frame {
    uint32_t node;
    uint64_t back; // where the call returns to
  };
  static constexpr uint64_t nowhere = ~uint64_t(0);

  void count(Event event, uint64_t nr = 1)
  {
    x_sums[event] += nr;
    (*x_here)[event] += nr;
  }
  void place(const Block &block);
  void miss(const Missed &missed, Event first);
  void translate(Tlb &tlb, uint64_t address, bool large);
  void touch(uint64_t line);
  void predict(const Block &from, uint64_t to);
  void follow(const Block &from, uint64_t to);
  void go_back(uint64_t to);
  uint32_t node() const { return x_frames.empty() ? Profile::root : x_frames.back().node; }

  unsigned x_line_bits;
  unsigned x_line_bytes;
  Hierarchy x_caches;
  Cache x_second_tlb;
  Tlb x_itlb, x_dtlb;
  Gshare x_conditional;
  IndirectPredictor x_indirect;
  ReturnStack x_returns;

  Counts x_sums{}, x_aside{};
  Counts *x_here = &x_aside; // where the current block's share goes
  bool x_keep = false;
  Profile x_profile;
  std::vector<Frame> x_frames; // of this task
  uint64_t x_task = 0;
  std::unordered_map<uint64_t, std::vector<Frame>> x_others;

  // By page and line, the window in which a line was touched last.
  std::unordered_map<uint64_t, std::array<uint32_t, 256>> x_touched;
  uint64_t x_last_page = ~uint64_t(0); // whose windows these are; they stay where they are
  std::array<uint32_t, 256> *x_last_windows = nullptr;
  uint32_t x_window = 0;
};

} // namespace model
