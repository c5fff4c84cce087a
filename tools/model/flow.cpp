// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/model/flow.h"

#include <algorithm>

namespace model
{

int index_of(const Block &block, uint64_t address)
{
  auto found = std::lower_bound(block.starts.begin(), block.starts.end(), address);
  return found != block.starts.end() && *found == address
             ? static_cast<int>(found - block.starts.begin())
             : -1;
}

bool may_lead(const Block &block, uint64_t address)
{
  switch (block.kind) {
  case Kind::Plain:
    return address == block.end;
  case Kind::Repeat:
  case Kind::Branch:
    return address == block.end || address == block.target;
  case Kind::Jump:
  case Kind::Call:
    return address == block.target;
  default:
    return true;
  }
}

bool Flow::interrupts_at(uint64_t address) const
{
  auto found = x_handlers.find(address);
  return found != x_handlers.end() && found->second.inside <= found->second.outside;
}

Step Flow::leave_for_handler(const Block &block)
{
  // More are open than a kernel nests: handlers that another task's iret ended.
  constexpr size_t most = 64;
  auto found = x_handlers.find(block.start);
  bool fault = found != x_handlers.end() && found->second.inside > found->second.outside;
  if (x_open.size() == most) {
    x_interrupts -= x_open.front().interrupt;
    x_open.erase(x_open.begin());
  }
  x_open.push_back({x_previous, block.start, !fault, x_previous_counts});
  x_interrupts += !fault;
  Step step;
  step.interrupt = !fault;
  return step;
}

void Flow::close(size_t index, const Block &block, Step &step)
{
  Open open = x_open[index];
  x_open.erase(x_open.begin() + static_cast<long>(index));
  x_interrupts -= open.interrupt;
  Votes &votes = x_handlers[open.handler];
  if (may_lead(*open.left, block.start)) {
    votes.outside++;
    step.from = open.left;
    step.from_counts = open.counts;
    // It came right behind an iret, whose way back is only now at its end.
    if (open.left->kind == Kind::InterruptReturn)
      come_back(block, step);
    return;
  }
  votes.inside++;
  step.cut = open.left;
  step.unexecuted = open.left->insns - static_cast<uint32_t>(index_of(*open.left, block.start));
  step.cut_counts = open.counts;
}

// The innermost handler first; of others only one whose block says exactly where it goes on, since
// tasks may have been switched in between.
bool Flow::come_back(const Block &block, Step &step)
{
  for (size_t i = x_open.size(); i-- > 0;) {
    const Block &left = *x_open[i].left;
    bool inner = i + 1 == x_open.size();
    if (index_of(left, block.start) < 0 && !may_lead(left, block.start))
      continue;
    if (!inner && leads_anywhere(left.kind) && index_of(left, block.start) < 0)
      continue;
    close(i, block, step);
    return true;
  }
  return false;
}

Step Flow::enter(const Block &block)
{
  Step step;
  if (x_previous) {
    const Block &before = *x_previous;
    bool leads = may_lead(before, block.start);
    int inside = leads ? -1 : index_of(before, block.start);
    if (before.kind == Kind::InterruptReturn && come_back(block, step)) {
      // step says how
    } else if (leads && !(leads_anywhere(before.kind) && interrupts_at(block.start))) {
      step.from = &before;
      step.from_counts = x_previous_counts;
    } else if (inside > 0) {
      step.cut = &before; // QEMU left it, to go on with its next instruction by itself
      step.unexecuted = before.insns - static_cast<uint32_t>(inside);
      step.cut_counts = x_previous_counts;
    } else {
      step = leave_for_handler(block);
    }
  }
  x_previous = &block;
  x_previous_counts = counts();
  return step;
}

void Flow::switch_task(uint64_t task)
{
  if (task == x_task)
    return;
  if (!x_open.empty())
    x_others[x_task] = std::move(x_open);
  x_open.clear();
  x_task = task;
  if (auto found = x_others.extract(task))
    x_open = std::move(found.mapped());
  x_interrupts = static_cast<unsigned>(
      std::count_if(x_open.begin(), x_open.end(), [](const Open &open) { return open.interrupt; }));
  x_previous_counts = counts();
}

void Flow::restart(bool all)
{
  x_all = all;
  x_meant = x_task;
  x_open.clear();
  x_interrupts = 0;
  x_previous_counts = true;
}

} // namespace model
