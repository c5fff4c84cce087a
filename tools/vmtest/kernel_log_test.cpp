// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/kernel_log.h"

#include "tools/lib/unit_test.h"
#include "tools/vmtest/pattern.h"

using namespace unit_test;
using namespace vmtest;

static std::string found(const std::vector<std::string> &records,
                         const std::vector<std::string> &splats = {})
{
  KernelLog log(splats);
  for (const std::string &record : records)
    log.add(record);
  auto report = parse_report(log.report(), splats);
  if (!report)
    return "no report";
  std::string text = report->lost ? "lost|" : "";
  for (const Finding &finding : report->findings)
    text += fmt::format("{}: {}|", name(finding.trouble), finding.line);
  return text;
}

TEST(records_of_all_levels_count)
{
  for (int level : {0, 4, 7})
    expect_eq(found({fmt::format("{},0,1177007,-;WARNING: CPU: 0 PID: 80 at a.c:1\n", level)}),
              "WARNING: WARNING: CPU: 0 PID: 80 at a.c:1|");
}

// A program's record has facility 1 at least, whatever it asks for.
TEST(a_programs_record_is_no_finding)
{
  expect_eq(found({"12,0,5,-;BUG: KASAN: slab-use-after-free in foo+0x1/0x2\n",
                   "8,1,6,-;Kernel panic - not syncing: x\n", "6,2,7,-;x [#12]\n"}),
            "oops: x [#12]|");
}

TEST(dictionary_and_caller_are_passed_over)
{
  expect_eq(found({"4,0,5,-,caller=T1;WARNING: a\n SUBSYSTEM=net\n DEVICE=BUG: b\n"}),
            "WARNING: WARNING: a|");
}

TEST(lines_of_one_record_are_lines)
{
  expect_eq(found({"3,0,5,-;one\\x0aBUG: two\\x0athree\n"}), "BUG: BUG: two|");
  KernelLog log({});
  log.add("3,0,12345678,-;one\\x0atwo\n");
  expect_eq(log.text(), "[   12.345678] one\n[   12.345678] two\n");
}

TEST(overwritten_records_are_told)
{
  expect_eq(found({"6,1,5,-;a\n"}), "lost|");
  expect_eq(found({"6,0,5,-;a\n", "6,1,5,-;a\n", "6,3,5,-;a\n"}), "lost|");
  expect_eq(found({"6,0,5,-;a\n", "6,1,5,-;a\n"}), "");
}

TEST(what_is_no_record_is_nothing)
{
  for (const char *text : {"", ";", "x,y,z,-;BUG: a", "6,0;BUG: a", "6,0,5"})
    expect(!parse_record(text), text);
  expect(!parse_report("", {}));
  expect(!parse_report("{}", {}));
  expect(!parse_report("[]", {}));
}

TEST(what_is_asked_for_is_found)
{
  expect_eq(found({"6,0,5,-;sysrq: HELP : loglevel(0-9)\n"}, {"no", "^sysrq: (HELP|x) "}),
            "asked for by --splat: sysrq: HELP : loglevel(0-9)|");
}

TEST(patterns_are_extended_and_told_when_they_are_none)
{
  expect_eq(pattern_error("a|b+"), "");
  expect(!pattern_error("a(").empty());
  expect(matches_any({"x", "^(a|b)+$"}, "abab"));
  expect(!matches_any({"a("}, "a("));
}
