// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/readers/sections.h"

#include "tools/gate/readers/reader_test.h"

using namespace gate;
using namespace unit_test;

static const std::string old_row = "BenchmarkA 1 100 ns/op\n", new_row = "BenchmarkA 1 200 ns/op\n";

static std::array<Reading, 2> sections_of(std::string text, const std::array<std::string, 2> &names)
{
  Input input(std::move(text), "f");
  return read_sections(input, names);
}

static void expect_halves(const std::string &text, const std::array<std::string, 2> &names,
                          const std::source_location &at = std::source_location::current())
{
  auto [base, comp] = sections_of(text, names);
  for (auto [reading, value] : {std::pair(&base, 100.0), std::pair(&comp, 200.0)}) {
    expect_eq(reading->result.benchmarks.size(), 1u, at);
    const result::Metric &time = metric_of(benchmark_of(*reading, "A"), "time", at);
    expect_eq(time.samples.size(), 1u, at);
    expect_eq(time.samples.at(0).at(0), value, at);
  }
}

TEST(sections_usual_spellings)
{
  const char *spellings[][2] = {{"before", "after"},
                                {"Before:", "After:"},
                                {"# before", "# after"},
                                {"BEFORE", "AFTER"},
                                {"    Before this patch", "    After this patch"},
                                {"== Before ==", "== After =="},
                                {"**Before the series:**", "**After:**"},
                                {"Results before our change:", "Results after our change:"},
                                {"[before]", "[after]"},
                                {"Before (v6.12)", "After (v6.13):"},
                                {"- before, 8 CPUs", "- after, 8 CPUs"}};
  for (const auto &[before, after] : spellings)
    expect_halves(
        std::string("Subject: x\n\nLookups were slow before this patch, and after that.\n") +
            before + "\n" + old_row + "\n" + after + "\n" + new_row,
        {"before", "after"});
}

TEST(sections_names_of_the_user)
{
  std::array<std::string, 2> names = {"without patch", "with patch"};
  expect_halves("Without patch:\n" + old_row + "With this patch:\n" + new_row, names);
  expect_halves("With patch\n" + new_row + "Without the patch\n" + old_row, names);
  expect_halves("unpatched\n" + old_row + "patched\n" + new_row, {"unpatched", "patched"});
  expect_halves("no patch:\n" + old_row + "patch:\n" + new_row, {"no patch", "patch"});
}

TEST(sections_in_a_mail)
{
  expect_halves("> > Before:\n> > " + old_row + ">>\n> > After:\n> > " + new_row +
                    "> > \n> Nice!\n-- \n" + old_row,
                {"before", "after"});
  expect_halves("Before:\n" + old_row + "After:\n" + new_row + "---\n a.c | 1 +\n\n" +
                    "diff --git a/a.c b/a.c\n+Before:\n+" + old_row,
                {"before", "after"});
}

TEST(sections_missing_or_twice)
{
  std::array<std::string, 2> names = {"before", "after"};
  expect_throws([&] { sections_of("Before:\n" + old_row, names); }, "f: no section 'after'");
  expect_throws([&] { sections_of("before and after:\n" + old_row, names); },
                "f: no section 'before'");
  expect_throws([&] { sections_of("Before:\nx\nAfter:\nBefore:\n", names); },
                "f: section 'before' begins in line 1 and again in line 4");
  expect_throws([&] { sections_of("Before:\nx\nAfter:\ny\n", names); },
                "f, section 'before': nothing that gate reads");
  expect_throws([&] { sections_of("Before:\nAfter:\n", names); }, "f, section 'before': empty");
  expect_throws([&] { sections_of("x", {"this", "after"}); }, "not two names");
}
