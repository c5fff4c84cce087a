// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Whether counts of instructions of two builds of bench are about the same thing.
//
// The hash of a program (the kernel's tag) tells whether the same instructions ran. Where it
// differs, either somebody changed the program or bench, which is what gate is to judge, or another
// compiler made other instructions of the same source, which says nothing about the kernel.
#pragma once

#include <string>

#include "tools/lib/result.h"

namespace gate
{

struct Compiled {
  const Value &environment;
  const result::Benchmark &benchmark;
};

struct BytecodeCheck {
  std::string refusal; // why they are not compared, and what to do; empty: they are
  std::string note;    // what a reader of the row must know
};

BytecodeCheck check_bytecode(const Compiled &base, const Compiled &comp);

} // namespace gate
