// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/model/recorder.h"

#include <bit>

namespace model
{

Recorder::Recorder(const Machine &machine)
    : x_line_bits(static_cast<unsigned>(std::countr_zero(machine.line))),
      x_line_bytes(machine.line), x_caches(machine), x_second_tlb(make_tlb(machine.second_tlb)),
      x_itlb(machine.itlb, x_second_tlb), x_dtlb(machine.dtlb, x_second_tlb),
      x_conditional(machine.conditional_bits), x_indirect(machine.indirect_bits),
      x_returns(machine.return_entries)
{
}

void Recorder::begin(bool keep, const Block *in)
{
  x_keep = keep;
  x_frames.clear();
  x_here = &x_aside;
  x_window++;
  if (in)
    place(*in);
}

void Recorder::reset()
{
  x_sums = {};
  x_profile.clear();
  x_frames.clear();
  x_others.clear();
  x_here = &x_aside;
}

void Recorder::add_insns(int64_t insns) { count(Insns, static_cast<uint64_t>(insns)); }

void Recorder::miss(const Missed &missed, Event first)
{
  count(first, missed.l1);
  count(L2Misses, missed.l2);
  count(L3Misses, missed.l3);
}

// A walk's own misses are misses of data.
void Recorder::translate(Tlb &tlb, uint64_t address, bool large)
{
  Tlb::Found found = tlb.access(address, large);
  count(TlbMisses, found.missed_first);
  if (!found.missed_second)
    return;
  count(Walks);
  Walk walk = walk_of(address, large, x_line_bytes);
  for (unsigned i = 0; i < walk.nr; i++)
    miss(x_caches.data(walk.lines[i], walk.lines[i]), L1dMisses);
}

// Where a block's costs go. Without a call it is the function that the window begins in, or that it
// returned to.
void Recorder::place(const Block &block)
{
  if (!x_keep)
    return;
  if (x_frames.empty())
    x_frames.push_back({x_profile.child(Profile::root, block.start), nowhere});
  x_here = &x_profile.at(x_frames.back().node, block.start);
}

void Recorder::enter(const Block &block)
{
  place(block);
  count(Insns, block.insns);
  if (block.fetches.empty())
    return;
  translate(x_itlb, block.start, is_large_code(block.start));
  uint64_t virtual_line = block.start >> x_line_bits;
  for (uint64_t line : block.fetches)
    miss(x_caches.fetch(virtual_line++, line), L1iMisses);
}

void Recorder::switch_task(uint64_t task)
{
  if (task == x_task)
    return;
  x_others[x_task] = std::move(x_frames);
  x_task = task;
  x_frames = std::move(x_others[task]);
  x_others.erase(task);
}

void Recorder::touch(uint64_t line)
{
  if (line >> 8 != x_last_page)
    x_last_windows = &x_touched[x_last_page = line >> 8];
  uint32_t &last = (*x_last_windows)[line & 255];
  count(Lines, last != x_window);
  last = x_window;
}

void Recorder::access(uint64_t address, uint64_t physical, unsigned bytes, bool store)
{
  count(store ? Stores : Loads);
  translate(x_dtlb, address, looks_large(address, physical));
  uint64_t first = physical >> x_line_bits, last = (physical + bytes - 1) >> x_line_bits;
  for (uint64_t line = first; line <= last; line++) {
    touch(line);
    miss(x_caches.data((address >> x_line_bits) + (line - first), line), L1dMisses);
  }
}

void Recorder::predict(const Block &from, uint64_t to)
{
  bool right;
  if (from.kind == Kind::Branch)
    right = x_conditional.predict(from.last, to == from.target);
  else if (is_indirect(from.kind))
    right = x_indirect.predict(from.last, x_conditional.history(), to);
  else if (from.kind == Kind::Return)
    right = x_returns.predict(to);
  else
    return;
  count(Branches);
  count(Mispredicted, !right);
}

// A return to where no call waits is a jump that looks like one (a retpoline): the call that put
// the address there is gone, and what it was made from has become the function that is entered.
void Recorder::go_back(uint64_t to)
{
  for (size_t i = x_frames.size(); i-- > 0;)
    if (x_frames[i].back == to) {
      x_frames.resize(i);
      return;
    }
  if (x_frames.empty())
    return;
  x_frames.pop_back();
  if (x_frames.empty())
    return;
  Frame &frame = x_frames.back();
  frame.node = x_profile.child(x_profile.parent(frame.node), to);
  x_profile.called(frame.node);
}

void Recorder::follow(const Block &from, uint64_t to)
{
  constexpr size_t deepest = 256;
  if (is_call(from.kind) && x_frames.size() < deepest) {
    x_frames.push_back({x_profile.child(node(), to), from.end});
    x_profile.called(x_frames.back().node);
  } else if (from.kind == Kind::Return) {
    go_back(to);
  }
}

void Recorder::lead(const Block &from, uint64_t to)
{
  predict(from, to);
  if (is_call(from.kind))
    x_returns.call(from.end);
  if (x_keep)
    follow(from, to);
}

} // namespace model
