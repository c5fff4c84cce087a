// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Instructions as bytes, and runs of blocks with interrupts and faults among them.
#include "tools/model/flow.h"

#include <string>

#include "tools/lib/model_marks.h"
#include "tools/lib/unit_test.h"
#include "tools/model/tests/blocks.h"

using namespace unit_test;
using namespace model;

static Decoded decoded(std::initializer_list<uint8_t> bytes, uint64_t pc = 0x1000)
{
  return decode(bytes.begin(), bytes.size(), pc);
}

static void expect_decoded(std::initializer_list<uint8_t> bytes, Kind kind, uint64_t target = 0)
{
  Decoded found = decoded(bytes);
  expect_eq(static_cast<int>(found.kind), static_cast<int>(kind));
  expect_eq(found.target, target);
}

TEST(branches_are_read)
{
  expect_decoded({0x90}, Kind::Plain);
  expect_decoded({0xeb, 0xfe}, Kind::Jump, 0x1000);                          // jmp .
  expect_decoded({0xe9, 0x00, 0x01, 0x00, 0x00}, Kind::Jump, 0x1105);        // jmp +256
  expect_decoded({0x75, 0x10}, Kind::Branch, 0x1012);                        // jne
  expect_decoded({0x0f, 0x84, 0xf0, 0xff, 0xff, 0xff}, Kind::Branch, 0xff6); // je
  expect_decoded({0x2e, 0x75, 0x10}, Kind::Branch, 0x1013);                  // with a hint
  expect_decoded({0xe2, 0xfe}, Kind::Branch, 0x1000);                        // loop
  expect_decoded({0xe8, 0xfb, 0xff, 0xff, 0xff}, Kind::Call, 0x1000);
  expect_decoded({0xff, 0xe0}, Kind::IndirectJump);       // jmp *%rax
  expect_decoded({0x41, 0xff, 0xd3}, Kind::IndirectCall); // call *%r11
  expect_decoded({0xff, 0xc0}, Kind::Plain);              // inc %eax
  expect_decoded({0xc3}, Kind::Return);
  expect_decoded({0xf3, 0xc3}, Kind::Return); // rep ret
  expect_decoded({0x48, 0xcf}, Kind::InterruptReturn);
  expect_decoded({0x0f, 0x05}, Kind::System);
  expect_decoded({0x48, 0x0f, 0x07}, Kind::System); // sysretq
}

TEST(repeated_strings_lead_to_themselves)
{
  expect_decoded({0xf3, 0x48, 0xa5}, Kind::Repeat, 0x1000); // rep movsq
  expect_decoded({0x48, 0xa5}, Kind::Plain);
  expect_decoded({0xf3, 0x90}, Kind::Plain); // pause
}

TEST(marks_are_found)
{
  const uint8_t begin[] = {0x0f, 0x1f, 0x84, 0x00, MODEL_BEGIN, 0x46, 0x50, 0x42};
  const uint8_t nop[] = {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00};
  expect_eq(decode_mark(begin, sizeof(begin)), unsigned(MODEL_BEGIN));
  expect_eq(decode_mark(nop, sizeof(nop)), 0u);
  expect_eq(decode_mark(begin, sizeof(begin) - 1), 0u);
}

// A loop, the handlers of an interrupt and of a fault, and a function that is called.
struct Program {
  Block loop = block(0x100, 4, Kind::Branch, 0x100);
  Block tail = block(0x104, 2, Kind::Call, 0x500);
  Block callee = block(0x500, 3, Kind::Return);
  Block after = block(0x106, 2, Kind::Jump, 0x100);
  Block handler = block(0xf00, 5, Kind::InterruptReturn);
  Block fault = block(0xe00, 5, Kind::InterruptReturn);
  Block rest_of_loop = block(0x102, 2, Kind::Branch, 0x100);
};

TEST(flow_without_interrupts_counts_all)
{
  Program p;
  Flow flow;
  flow.enter(p.loop);
  for (const Block *each : {&p.loop, &p.tail, &p.callee, &p.after, &p.loop}) {
    Step step = flow.enter(*each);
    expect(step.from && step.from_counts && !step.interrupt && !step.cut, "an ordinary step");
    expect(flow.counts(), "counts");
  }
}

TEST(interrupt_is_left_out_and_comes_back)
{
  Program p;
  Flow flow;
  flow.enter(p.loop);
  Step step = flow.enter(p.handler);
  expect(step.interrupt && !step.from, "begins");
  expect(!flow.counts(), "is left out");
  step = flow.enter(p.tail); // where the loop would have gone
  expect(flow.counts(), "is over");
  expect(step.from == &p.loop && step.from_counts, "the loop led here");
}

TEST(interrupt_within_an_interrupt)
{
  Program p;
  Block first = block(0xa00, 3, Kind::Jump, 0xa10), second = block(0xa10, 1, Kind::InterruptReturn);
  Flow flow;
  flow.enter(p.loop);
  flow.enter(first);
  expect(flow.enter(p.handler).interrupt, "the second");
  flow.enter(second);
  expect(!flow.counts(), "the first goes on");
  flow.enter(p.loop);
  expect(flow.counts(), "both are over");
}

// After a return any address is possible; that it is a handler's is known from before.
TEST(interrupt_after_a_return_is_known_by_its_handler)
{
  Program p;
  Flow flow;
  flow.enter(p.loop);
  flow.enter(p.handler);
  flow.enter(p.tail);
  flow.enter(p.callee);
  expect(flow.enter(p.handler).interrupt, "an interrupt");
  Step step = flow.enter(p.after);
  expect(flow.counts() && step.from == &p.callee, "the callee returned");
}

// The first time a handler is seen it might be of an interrupt; then it has shown what it is.
TEST(faults_are_the_programs_own_work)
{
  Program p;
  Flow flow;
  flow.enter(p.loop);
  flow.enter(p.fault);
  Step step = flow.enter(p.rest_of_loop);
  expect(step.cut == &p.loop && step.unexecuted == 2 && step.cut_counts, "two were not executed");
  flow.enter(p.loop);
  expect(!flow.enter(p.fault).interrupt, "no interrupt");
  expect(flow.counts(), "a fault counts");
  step = flow.enter(p.rest_of_loop);
  expect(step.cut == &p.loop && step.unexecuted == 2, "two were not executed");
}

// QEMU leaves a block before an access to a device, and goes on behind it with another.
TEST(block_that_is_left_in_the_middle_is_cut)
{
  Program p;
  Flow flow;
  flow.enter(p.loop);
  Step step = flow.enter(block(0x103, 1, Kind::Branch, 0x100));
  expect(!step.interrupt && step.cut == &p.loop, "cut");
  expect_eq(step.unexecuted, 1u);
}

// While a handler is open another task is switched to, which returns from an interrupt of its own.
TEST(iret_of_another_task_closes_nothing)
{
  Program p;
  Block other = block(0x900, 2, Kind::Plain);
  Flow flow;
  flow.enter(p.loop);
  flow.enter(p.handler);
  flow.enter(other);
  expect(!flow.counts(), "still open");
  flow.restart(true);
  expect(flow.counts(), "a new window knows nothing of it");
}

// The second is waiting when the first returns, and is taken before anything else is executed.
TEST(interrupt_right_behind_an_interrupt)
{
  Program p;
  Block second = block(0xd00, 5, Kind::InterruptReturn);
  Flow flow;
  flow.enter(p.loop);
  flow.enter(second);
  flow.enter(p.tail); // now it is known
  flow.enter(p.callee);
  flow.enter(p.after);
  flow.enter(p.loop);
  flow.enter(p.handler);
  expect(flow.enter(second).interrupt, "another");
  Step step = flow.enter(p.loop);
  expect(flow.counts(), "both are over");
  expect(step.from == &p.loop && step.from_counts, "the loop goes on");
}

// The handler switches to a task that was put aside in its own work, and comes back later.
TEST(each_task_has_its_own_handlers)
{
  Program p;
  Block switching = block(0xa00, 3, Kind::Return), other = block(0x900, 2, Kind::Return);
  Flow flow;
  flow.switch_task(1);
  flow.enter(p.loop);
  flow.enter(block(0xf00, 5, Kind::Call, 0xa00));
  flow.enter(switching);
  expect(!flow.counts(), "in the handler");
  flow.switch_task(2);
  flow.enter(other);
  expect(flow.counts(), "another task's work");
  flow.switch_task(1);
  flow.enter(p.handler);
  expect(!flow.counts(), "the handler goes on");
  Step step = flow.enter(p.loop);
  expect(flow.counts() && step.from == &p.loop, "and ends");
}

TEST(only_the_task_that_began_is_meant)
{
  Program p;
  Flow flow;
  flow.switch_task(1);
  flow.enter(p.loop);
  flow.restart(false);
  expect(flow.counts(), "it began");
  flow.switch_task(2);
  expect(!flow.counts(), "another");
  flow.switch_task(1);
  expect(flow.counts(), "again");
}

TEST(task_switches_are_found)
{
  const uint8_t load[] = {0x48, 0x8b, 0xa6, 0x98, 0x0c, 0x00, 0x00};
  expect(switches_task(load, sizeof(load), 0xffffffff81000000), "in the kernel");
  expect(!switches_task(load, sizeof(load), 0x400000), "not in a program");
  expect(!switches_task(load, sizeof(load) - 1, 0xffffffff81000000), "not another length");
}

TEST(a_handler_that_is_left_open_is_seen)
{
  Program p;
  Flow flow;
  flow.enter(p.loop);
  flow.enter(block(0xf00, 5, Kind::Jump, 0xf10));
  flow.enter(block(0xf10, 5));
  expect(!flow.counts(), "so a window that ends here is refused");
}
