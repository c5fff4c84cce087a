// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/instruction_clock.h"

#include <ctime>

#include <algorithm>

bool counts_instructions(const std::vector<ClockReading> &readings)
{
  constexpr size_t fewest = 8;
  auto exact = std::count_if(readings.begin(), readings.end(), [](const ClockReading &reading) {
    return reading.ticks == reading.instructions;
  });
  return readings.size() >= fewest && 4 * static_cast<size_t>(exact) >= 3 * readings.size();
}

#if defined(__x86_64__)

static uint64_t counter()
{
  uint32_t low, high;
  asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
  return uint64_t(high) << 32 | low;
}

// Two instructions a pass: a processor does one pass per cycle or faster.
static void short_passes(uint64_t passes)
{
  asm volatile("1:\n\tdec %0\n\tjnz 1b" : "+r"(passes)::"cc");
}

// Four a pass, each multiplication waiting for the one before: slower per instruction.
static void long_passes(uint64_t passes)
{
  uint64_t product = passes;
  asm volatile("1:\n\timul %1, %1\n\timul %1, %1\n\tdec %0\n\tjnz 1b"
               : "+r"(passes), "+r"(product)::"cc");
}

// Never inlined, so that what surrounds the loop is the same for any number of passes.
[[gnu::noinline]] static int64_t time_of(void (*loop)(uint64_t), uint64_t passes)
{
  uint64_t start = counter();
  loop(passes);
  return static_cast<int64_t>(counter() - start);
}

static ClockReading read_clock(void (*loop)(uint64_t), int64_t per_pass, uint64_t passes)
{
  int64_t once = time_of(loop, passes), twice = time_of(loop, 2 * passes);
  return {per_pass * static_cast<int64_t>(passes), twice - once};
}

std::vector<ClockReading> read_instruction_clock()
{
  std::vector<ClockReading> readings;
  for (uint64_t passes : {101, 211, 503, 997, 1511, 2003, 3001}) {
    readings.push_back(read_clock(short_passes, 2, passes));
    readings.push_back(read_clock(long_passes, 4, passes));
  }
  return readings;
}

static uint64_t now_ns()
{
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

double instructions_per_ns()
{
  uint64_t start_ns = now_ns(), start = counter();
  timespec second = {1, 0};
  nanosleep(&second, nullptr);
  uint64_t end_ns = now_ns(), end = counter();
  return static_cast<double>(end - start) / static_cast<double>(end_ns - start_ns);
}

#else

std::vector<ClockReading> read_instruction_clock() { return {}; }

double instructions_per_ns() { return 1; }

#endif

bool clock_counts_instructions()
{
  static const bool counts = counts_instructions(read_instruction_clock());
  return counts;
}
