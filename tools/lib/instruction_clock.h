// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Whether the clock counts instructions. In a guest of QEMU started with -icount shift=0 each
// instruction advances it by one nanosecond, so that a time is an exact count of instructions. The
// clock itself tells: no environment and no CPUID bit does.
#pragma once

#include <cstdint>
#include <vector>

// Two loops of a known length, one twice as long as the other: by how many instructions they
// differ, and by how many ticks of the counter.
struct ClockReading {
  int64_t instructions = 0;
  int64_t ticks = 0;
};

// Whether these readings come from a clock that counts instructions: nearly all differ by exactly
// the number of instructions, for loops that a processor would run at different speeds. What
// interrupts lengthen is left out of "nearly". False for fewer than eight readings.
bool counts_instructions(const std::vector<ClockReading> &readings);

// Readings of this machine's cycle counter, about a millisecond of work. Empty where there is no
// counter that is known to follow -icount (only x86-64 has one).
std::vector<ClockReading> read_instruction_clock();

// The verdict on this machine, made once.
bool clock_counts_instructions();

// Instructions per nanosecond of the kernel's clock, which is near 1 but follows the kernel's own
// calibration of the counter. Sleeps for a second of guest time, which costs nothing where
// QEMU runs with sleep=off. Only where clock_counts_instructions().
double instructions_per_ns();
