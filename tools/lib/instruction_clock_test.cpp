// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which tables of clock readings pass for a clock that counts instructions. Those named after a
// machine were read on it.
#include "tools/lib/instruction_clock.h"

#include "tools/lib/unit_test.h"

using namespace unit_test;

// QEMU 7.2 -icount shift=0, Linux 6.1: the timer interrupt falls into one loop of fourteen.
static const std::vector<ClockReading> icount = {
    {202, 202},    {404, 404},   {422, 422},   {844, 844},    {1006, 1006},
    {2012, 10528}, {1994, 1994}, {3988, 3988}, {3022, 3022},  {6044, 6044},
    {4006, 4006},  {8012, 8012}, {6002, 6002}, {12004, 12004}};

// QEMU 7.2 TCG without -icount: host time.
static const std::vector<ClockReading> tcg = {
    {202, 234},   {404, 286},   {422, 884},    {844, 312},    {1006, 2184},
    {2012, 1794}, {1994, 4290}, {3988, 3666},  {3022, 6422},  {6044, 5564},
    {4006, 8632}, {8012, 7358}, {6002, 12870}, {12004, 11076}};

// An AMD EPYC under KVM.
static const std::vector<ClockReading> kvm = {
    {202, 52},    {404, 338},   {422, 0},     {844, 754},    {1006, 286},
    {2012, 1924}, {1994, 598},  {3988, 3718}, {3022, 936},   {6044, 5694},
    {4006, 1248}, {8012, 7540}, {6002, 1898}, {12004, 11310}};

TEST(instruction_clock_of_machines)
{
  expect(counts_instructions(icount), "icount");
  expect(!counts_instructions(tcg), "tcg");
  expect(!counts_instructions(kvm), "kvm");
}

TEST(instruction_clock_needs_most_readings_exact)
{
  auto readings = icount;
  for (size_t i : {0, 3})
    readings[i].ticks += 5000; // with the one above, three of fourteen interrupted
  expect(counts_instructions(readings));
  readings[7].ticks += 5000;
  expect(!counts_instructions(readings), "four of fourteen");
}

TEST(instruction_clock_off_by_one_is_none)
{
  auto readings = icount;
  for (ClockReading &reading : readings)
    reading.ticks++;
  expect(!counts_instructions(readings), "every reading one too long");
}

// Half of the readings of a processor whose counter happens to run at its speed would be exact.
TEST(instruction_clock_of_one_kind_of_loop_is_not_enough)
{
  auto readings = icount;
  for (size_t i = 1; i < readings.size(); i += 2)
    readings[i].ticks = readings[i].instructions * 3 / 2;
  expect(!counts_instructions(readings));
}

TEST(instruction_clock_of_few_readings_is_none)
{
  expect(!counts_instructions({}), "none at all");
  expect(!counts_instructions({icount.begin(), icount.begin() + 5}), "five, all exact");
}

TEST(instruction_clock_of_this_machine_is_always_the_same)
{
  bool first = clock_counts_instructions();
  for (int i = 0; i < 20; i++)
    expect_eq(counts_instructions(read_instruction_clock()), first);
}
