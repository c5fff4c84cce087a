// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The lines of the kernel's bench: those that it printed come back byte for byte, what is no such
// line is nothing, and no text is a crash.
#include "tools/lib/bench_line.h"

#include <limits>

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench_line;

// As the kernel's bench of 7.2 printed them on 6.18: widths grow, spaces before brackets stay.
static const char *const printed_by_kernel[] = {
    "Setting up benchmark 'bloom-false-positive'...",
    "Benchmark 'bloom-false-positive' started.",
    "Iter   0 (202.858us): 3271057 false hits of 35813777 total operations. Percentage = 9.13 %",
    "Iter   3 ( 87.649us): 3257030 false hits of 35637222 total operations. Percentage = 9.14 %",
    "Summary: 15824397 false hits of 173100728 total operations. Percentage =  9.14 %",
    "Iter   0 (1156.043us): hits   39.105M/s ( 39.105M/prod), drops    0.000M/s, total operations "
    "  39.105M/s",
    "Iter   4 (-1132.135us): hits   40.095M/s ( 40.095M/prod), drops    0.000M/s, total operations "
    "  40.095M/s",
    "Summary: hits   38.210 ± 2.959M/s ( 38.210M/prod), drops    0.000 ± 0.000M/s, total "
    "operations   38.210 ± 2.959M/s",
    "Iter   1 ( 95.904us): hits   33.746M/s ( 33.746M/prod), drops    0.268M/s, total operations   "
    "34.014M/s",
    "Iter   0 (210.151us): per-prod-op    8.74k/s, memory usage    0.00MiB",
    "Iter   5 ( -4.367us): per-prod-op    8.42k/s, memory usage    0.00MiB",
    "Summary: per-prod-op    8.38 ±    0.32k/s, memory usage    0.00 ±    0.00MiB, peak memory "
    "usage    0.00MiB",
    "Iter   5 (-5333.286us): hits    1.111M/s (  1.111M/prod)",
    "Iter   6 ( 21.743us): hits   10.420M/s ( 10.420M/prod)",
    "Summary: throughput    9.557 ± 1.600 M ops/s (  9.557M ops/prod), latency  104.639 ns/op",
    "Summary: throughput   81.100 ± 0.828 M ops/s ( 81.100M ops/prod), latency   12.330 ns/op",
    "Iter   2 (200.924us): hits    0.000M/s (  0.000M/prod), drops   30.377M/s, total operations   "
    "30.377M/s",
    "Summary: hits    0.428 ± 0.029M/s (  0.428M/prod), drops    0.000 ± 0.000M/s, total "
    "operations    0.428 ± 0.029M/s",
    // lpm-trie-free, from the kernel's format strings
    "Iter   1 ( 12.000us): hits    0.312K/s (  0.312K/prod)",
    "Summary: throughput    0.312 ± 0.004 K ops/s (  0.312K ops/prod), latency    3.205 ms/op",
};

TEST(line_of_the_kernel_comes_back_byte_for_byte)
{
  for (const char *text : printed_by_kernel) {
    auto line = parse(text);
    expect(line.has_value(), fmt::format("'{}' is not read", text));
    expect_eq(format(*line), std::string(text));
  }
}

TEST(line_figures_are_read)
{
  auto ops = parse(printed_by_kernel[14]);
  expect(ops->kind == Kind::Summary && ops->ops && !ops->hits_drops);
  expect(*ops->ops == Ops{{9.557, 1.600}, 9.557, 'M', 104.639, "ns"});
  auto iter = parse(printed_by_kernel[6]);
  expect_eq(iter->iteration, 4);
  expect_eq(iter->tick_us, -1132.135);
  expect(*iter->hits_drops == HitsDrops{{40.095, 0}, {0, 0}, {40.095, 0}, 40.095});
  auto rate = parse(printed_by_kernel[4]);
  expect(*rate->false_hits == FalseHits{15824397, 173100728, 9.14});
  auto memory = parse(printed_by_kernel[11]);
  expect(*memory->htab_mem == HtabMem{{8.38, 0.32}, Spread{0, 0}, 0.0});
  expect_eq(parse(printed_by_kernel[0])->name, std::string("bloom-false-positive"));
  expect_eq(parse(printed_by_kernel[19])->ops->unit, std::string("ms"));
}

TEST(line_of_unknown_memory_says_so)
{
  Line iter{.kind = Kind::Iter, .iteration = 12, .tick_us = 1.5};
  iter.htab_mem = HtabMem{{311.014, 0}, {}, {}};
  expect_eq(format(iter),
            std::string("Iter  12 (  1.500us): per-prod-op  311.01k/s, memory usage n/a"));
  expect(!parse(format(iter))->htab_mem->memory);
  Line summary{.kind = Kind::Summary};
  summary.htab_mem = HtabMem{{311.25, 2.5}, {}, {}};
  expect_eq(format(summary), std::string("Summary: per-prod-op  311.25 ±    2.50k/s, memory usage "
                                         "n/a, peak memory usage n/a"));
  expect(*parse(format(summary))->htab_mem == *summary.htab_mem);
  summary.htab_mem->memory = Spread{2, 0.25};
  expect(*parse(format(summary))->htab_mem == *summary.htab_mem, "peak alone unknown");
}

TEST(line_of_every_kind_round_trips)
{
  Line line{.kind = Kind::Summary};
  line.ops = Ops{{1100.25, 0.125}, 550.125, 'M', 1.5, "insns"};
  expect(*parse(format(line))->ops == *line.ops);
  line.ops.reset();
  line.false_hits = FalseHits{0, INT64_MAX, 0};
  expect(*parse(format(line))->false_hits == *line.false_hits);
  line.false_hits.reset();
  line.hits_drops = HitsDrops{{123456.5, 0.5}, {0.25, 0.125}, {123456.75, 7}, 3.5};
  expect(*parse(format(line))->hits_drops == *line.hits_drops);
  line.hits_drops.reset();
  line.instructions = Instructions{569.824};
  expect_eq(format(line), std::string("Summary: throughput n/a, latency  569.824 insns/op"));
  expect(*parse(format(line))->instructions == *line.instructions);
  expect(!parse(format(line))->ops, "no throughput where there is none");
  for (Kind kind : {Kind::SettingUp, Kind::Started}) {
    Line named{.kind = kind, .name = "lpm-trie-free"};
    expect_eq(parse(format(named))->name, named.name);
    expect(parse(format(named))->kind == kind);
  }
}

TEST(line_with_a_broken_sign_is_read)
{
  for (std::string sign : {"?", "\xb1", "+-", "??", "\xc2\xb1", "+/-"}) {
    auto line = parse("Summary: throughput    9.557 " + sign +
                      " 1.600 M ops/s (  9.557M ops/prod), latency  104.639 ns/op\r");
    expect(line.has_value(), "sign '" + sign + "'");
    expect(line->ops->throughput == Spread{9.557, 1.600});
    line = parse("Summary: per-prod-op    8.38 " + sign + "    0.32k/s, memory usage    1.00 " +
                 sign + "    0.50MiB, peak memory usage    2.00MiB");
    expect(*line->htab_mem == HtabMem{{8.38, 0.32}, Spread{1, 0.5}, 2.0}, "sign '" + sign + "'");
  }
}

TEST(line_cut_short_or_prolonged_is_none)
{
  for (std::string text : printed_by_kernel) {
    for (size_t length = 0; length < text.size(); length++)
      // Before its drops, a line of hits and drops is a whole one of ops.
      if (text.find("/prod)") == text.npos || length != text.find("/prod)") + 6)
        expect(!parse(text.substr(0, length)), "cut: '" + text.substr(0, length) + "'");
    expect(!parse(text + "x"), "prolonged");
    expect(!parse("[   12.345678] " + text), "behind a time stamp");
    for (size_t at = 0; at < text.size(); at++) {
      std::string cut = text;
      cut.erase(at, 1);
      parse(cut); // whatever it says, it says it without a crash
      cut = text;
      cut[at] = static_cast<char>(0xff);
      parse(cut);
    }
  }
}

TEST(line_of_something_else_is_none)
{
  for (const char *text : {
           "",
           " ",
           "[   45.101234] bench[312]: segfault at 0 ip 0000 sp 0000",
           "WARNING: proportionality check failed (2N/N ratio=1.840, expected=2.000, error=8.0%)",
           "bpf-nop: median 1.18 ns/op, stddev 0.03, p99 1.24 (238 samples)",
           "Invalid duration: 0",
           "libbpf: prog 'benchmark': BPF program load failed: -EPERM",
           "no memory.current",
           "Iter",
           "Summary:",
           "Iter 0\t avg tasks_trace grace period latency\t12.5 ns",
           "SUMMARY ticks per tasks_trace grace period\tavg 1.000\tstddev 0.000",
           "Summary: hits   -nan ± -nanM/s (   -nanM/prod), drops    0.000 ± 0.000M/s, total "
           "operations    0.000 ± 0.000M/s",
           "Summary: throughput      inf ± 0.000 M ops/s (    infM ops/prod), latency 0.000 ns/op",
           "Iter   1 ( 12.000us): hits    0,312M/s (  0,312M/prod)",
           "Iter  -1 ( 12.000us): hits    0.312M/s (  0.312M/prod)",
           "Iter 1.5 ( 12.000us): hits    0.312M/s (  0.312M/prod)",
           "Setting up benchmark 'never closed",
           "\xff\xfe\xfd",
       })
    expect(!parse(text), fmt::format("'{}' is no line", text));
  expect(!parse(std::string_view("Iter\0\0 1", 8)), "zero bytes");
  expect(!parse(std::string(1 << 20, '9')), "a megabyte of digits");
}

TEST(line_with_a_number_that_does_not_fit_is_none)
{
  for (std::string number : {"99999999999999999999", "1e300", "9223372036854775808", "-1", "+1"}) {
    expect(!parse("Summary: " + number + " false hits of 5 total operations. Percentage =  1.00 %"),
           number);
    expect(!parse("Iter " + number + " (202.858us): hits    1.175M/s (  1.175M/prod)"), number);
  }
  expect(!parse("Iter 2147483648 (202.858us): hits    1.175M/s (  1.175M/prod)"));
  expect(!parse("Iter   0 (1e999us): hits    1.175M/s (  1.175M/prod)"));
  expect_eq(parse("Iter 2147483647 (  0.000us): hits    1.175M/s (  1.175M/prod)")->iteration,
            std::numeric_limits<int>::max());
}

TEST(line_of_the_run_scripts_has_its_columns)
{
  auto row = [](const char *name, const char *summary) {
    return format_table_row(name, *parse(summary));
  };
  expect_eq(row("lookup", printed_by_kernel[14]),
            std::string("lookup               throughput: 9.557 ± 1.600 M ops/s, latency: 104.639 "
                        "ns/op"));
  expect_eq(row("no-helper-64", printed_by_kernel[17]),
            std::string("no-helper-64         0.428 ± 0.029M/s (drops 0.000 ± 0.000M/s, total "
                        "operations 0.428 ± 0.029M/s)"));
  expect_eq(row("3 hashes", printed_by_kernel[4]), std::string("3 hashes             9.14%"));
  expect_eq(row("overwrite", printed_by_kernel[11]),
            std::string("overwrite            per-prod-op: 8.38 ± 0.32k/s, avg mem: 0.00 ± "
                        "0.00MiB, peak mem: 0.00MiB"));
}
