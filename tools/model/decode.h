// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Where an x86-64 instruction may lead: as much of it as the last instruction of a block needs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace model
{

enum class Kind : uint8_t {
  Plain,        // to the next one
  Repeat,       // a string instruction: to itself or the next one
  Jump,         // to target
  Branch,       // to target or the next one
  Call,         // to target
  IndirectJump, // all below: anywhere
  IndirectCall,
  Return,
  InterruptReturn,
  System, // a system call, the way back from one, a software interrupt
};

struct Decoded {
  Kind kind = Kind::Plain;
  uint64_t target = 0; // of Repeat, Jump, Branch, Call
};

inline bool leads_anywhere(Kind kind) { return kind >= Kind::IndirectJump; }
inline bool is_call(Kind kind) { return kind == Kind::Call || kind == Kind::IndirectCall; }
inline bool is_indirect(Kind kind)
{
  return kind == Kind::IndirectJump || kind == Kind::IndirectCall;
}

// The instruction of these bytes at pc.
Decoded decode(const uint8_t *bytes, size_t size, uint64_t pc);

// The code of a mark (tools/lib/model_marks.h), 0 for any other instruction.
unsigned decode_mark(const uint8_t *bytes, size_t size);

// Whether this takes up another stack as Linux's __switch_to_asm does, movq disp32(%rsi), %rsp:
// what it reads is of the task that is switched to.
bool switches_task(const uint8_t *bytes, size_t size, uint64_t pc);

} // namespace model
