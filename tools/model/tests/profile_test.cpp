// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Symbols, the stack of calls with returns that are none, and the formats.
#include "tools/model/profile.h"

#include "tools/lib/unit_test.h"
#include "tools/model/recorder.h"
#include "tools/model/tests/blocks.h"

using namespace unit_test;
using namespace model;

static const char *const kallsyms = "ffffffff81000100 T lookup\n"
                                    "ffffffff81000100 T alias\n"
                                    "ffffffff81000000 T entry\n"
                                    "ffffffff81000200 t helper\n"
                                    "ffffffff81000300 D data\n"
                                    "ffffffffc0000000 t bpf_prog_6deef7357e7b4530_op\t[bpf]\n"
                                    "ffffffffc0000100 t mod_fn\t[some_module]\n"
                                    "broken line\n";

TEST(symbols_name_addresses)
{
  Symbols symbols(kallsyms);
  expect_eq(symbols.name_of(0xffffffff81000000), "entry");
  expect_eq(symbols.name_of(0xffffffff810001ff), "lookup"); // the first of two names
  expect_eq(symbols.name_of(0xffffffff81000300), "helper"); // data is no function
  expect_eq(symbols.name_of(0xffffffffc0000010), "op [bpf]");
  expect_eq(symbols.name_of(0xffffffffc0000110), "mod_fn [some_module]");
  expect_eq(symbols.name_of(0x1000), "[user]");
  expect_eq(symbols.name_of(0xffffffff80000000), "0xffffffff80000000");
  expect_eq(Symbols("").name_of(0xffffffff80000000), "0xffffffff80000000");
}

TEST(symbols_of_programs_are_renewed_alone)
{
  Symbols symbols(kallsyms);
  symbols.renew_programs("ffffffffc0000080 t bpf_prog_6deef7357e7b4530_left\t[bpf]\n");
  expect_eq(symbols.name_of(0xffffffffc0000080), "left [bpf]");
  expect_eq(symbols.name_of(0xffffffffc0000010), "helper"); // op is gone
  expect_eq(symbols.name_of(0xffffffffc0000110), "mod_fn [some_module]");
  symbols.renew_programs("");
  expect_eq(symbols.name_of(0xffffffffc0000080), "helper");
}

static constexpr uint64_t base = 0xffffffff81000000;

// Enters each block as the one before leads there.
static void run(Recorder &recorder, std::initializer_list<const Block *> blocks)
{
  const Block *before = nullptr;
  for (const Block *each : blocks) {
    if (before)
      recorder.lead(*before, each->start);
    recorder.enter(*each);
    before = each;
  }
}

static NamedProfile named(const Recorder &recorder)
{
  NamedProfile profile;
  recorder.profile().add_to(profile, Symbols(kallsyms));
  return profile;
}

TEST(calls_and_returns_make_stacks)
{
  Recorder recorder{Machine()};
  recorder.begin(true);
  Block entry = block(base, 4, Kind::Call, base + 0x100),
        lookup = block(base + 0x100, 7, Kind::Return), rest = block(base + 4, 3, Kind::Return);
  run(recorder, {&entry, &lookup, &rest});
  expect_eq(named(recorder).folded(Insns), "entry 7\nentry;lookup 7\n");
  expect_eq(recorder.sums()[Insns], 14u);
  expect_eq(recorder.sums()[Branches], 1u); // the return; a call is none
  expect_eq(recorder.sums()[Mispredicted], 0u);
}

// call thunk; thunk: call 1f, which is overwritten; ret to the target.
TEST(retpoline_is_a_call_of_its_target)
{
  Recorder recorder{Machine()};
  recorder.begin(true);
  Block entry = block(base, 4, Kind::Call, base + 0x200),
        thunk = block(base + 0x200, 1, Kind::Call, base + 0x210),
        ret = block(base + 0x210, 2, Kind::Return), lookup = block(base + 0x100, 7, Kind::Return),
        rest = block(base + 4, 3, Kind::Plain);
  run(recorder, {&entry, &thunk, &ret, &lookup, &rest});
  expect_eq(named(recorder).folded(Insns), "entry 7\nentry;helper 1\nentry;helper;helper 2\n"
                                           "entry;lookup 7\n");
}

TEST(jump_into_another_function_keeps_both_names)
{
  Recorder recorder{Machine()};
  recorder.begin(true);
  Block entry = block(base, 4, Kind::Call, base + 0x100),
        lookup = block(base + 0x100, 2, Kind::Jump, base + 0x200),
        helper = block(base + 0x200, 5, Kind::Return), rest = block(base + 4, 1, Kind::Plain);
  run(recorder, {&entry, &lookup, &helper, &rest});
  expect_eq(named(recorder).folded(Insns), "entry 5\nentry;lookup 2\nentry;lookup;helper 5\n");
}

TEST(callgrind_has_self_and_inclusive_costs)
{
  NamedProfile profile;
  auto &entry = NamedProfile::child(profile.root(), "entry");
  entry.self[Insns] = 10;
  auto &lookup = NamedProfile::child(entry, "lookup");
  lookup.calls = 3;
  lookup.self[Insns] = 30;
  NamedProfile::child(lookup, "helper").self[Insns] = 5;
  std::string text = profile.callgrind("bloom-lookup");
  expect_has(text, "# callgrind format\n");
  expect_has(text, "cmd: bloom-lookup\n");
  expect_has(text, "events: insns loads stores lines l1i_misses l1d_misses l2_misses l3_misses "
                   "tlb_misses walks branches mispredicted\n");
  expect_has(text, "summary: 45 0 0 0 0 0 0 0 0 0 0 0\n");
  expect_has(text, "fn=entry\n0 10 0 0 0 0 0 0 0 0 0 0 0\ncfn=lookup\ncalls=3 0\n0 35 0 0");
}

TEST(functions_have_their_own_events_whoever_called_them)
{
  Recorder recorder{Machine()};
  recorder.begin(true);
  Block entry = block(base, 4, Kind::Call, base + 0x200),
        again = block(base + 4, 3, Kind::Call, base + 0x100),
        lookup = block(base + 0x100, 2, Kind::Jump, base + 0x200),
        helper = block(base + 0x200, 5, Kind::Return), rest = block(base + 8, 1, Kind::Plain);
  run(recorder, {&entry, &helper, &again, &lookup, &helper, &rest});
  std::string text = recorder.profile().functions(Symbols(kallsyms));
  expect(text.starts_with("8 0 0 0 "), text);
  expect_has(text, " entry\n10 0 0 0 ");
  expect_has(text, " helper\n2 0 0 0 ");
  expect(text.ends_with(" lookup\n"), text);
}

TEST(only_what_is_kept_is_in_the_profile)
{
  Recorder recorder{Machine()};
  recorder.begin(false);
  Block entry = block(base, 4, Kind::Plain);
  run(recorder, {&entry});
  expect_eq(recorder.sums()[Insns], 4u);
  expect_eq(named(recorder).folded(Insns), "");
}

TEST(accesses_touch_lines_once_a_window)
{
  Recorder recorder{Machine()};
  recorder.begin(false);
  recorder.access(base, 0x1000, 8, false);
  recorder.access(base + 8, 0x1008, 8, true);
  recorder.access(base + 0x3c, 0x103c, 8, false); // over two lines
  expect_eq(recorder.sums()[Loads], 2u);
  expect_eq(recorder.sums()[Stores], 1u);
  expect_eq(recorder.sums()[Lines], 2u);
  // Two lines of data and one of the page table.
  expect_eq(recorder.sums()[L1dMisses], 3u + 1u);
  expect_eq(recorder.sums()[Walks], 1u);
  recorder.begin(false);
  recorder.access(base, 0x1000, 8, false);
  expect_eq(recorder.sums()[Lines], 3u);
}
