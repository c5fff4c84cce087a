// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Tried on this very test: one unit of it has debug information, and it must run without it.
#include "tools/lib/strip.h"

#include "tools/lib/atomic_file.h"
#include "tools/lib/elf_file.h"
#include "tools/lib/process.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;

TEST(a_program_runs_without_its_debug_sections)
{
  std::string whole = read_file("/proc/self/exe"), less = without_debug(whole);
  expect(ElfFile(whole).section(".debug_info").has_value(), "built without -g");
  expect(!ElfFile(less).section(".debug_info").has_value(), "still there");
  expect(less.size() < whole.size(), fmt::format("{} of {} bytes", less.size(), whole.size()));
  expect_eq(ElfFile(less).section(".symtab").value(), ElfFile(whole).section(".symtab").value());
  expect_eq(ElfFile(less).section(".strtab").value(), ElfFile(whole).section(".strtab").value());
  TemporaryDirectory directory;
  write_file(directory / "less", less, 0755);
  expect(process::run({directory / "less", "comes_back_as_it_is"}).status.success());
}

TEST(what_is_no_whole_elf_comes_back_as_it_is)
{
  std::string whole = read_file("/proc/self/exe");
  for (const std::string &text : {std::string(), std::string("#!/bin/sh\n"), whole.substr(0, 64),
                                  whole.substr(0, 100000), whole.substr(0, whole.size() - 1)})
    expect(without_debug(text) == text, fmt::format("{} bytes changed", text.size()));
}

TEST(stripped_twice_is_stripped_once)
{
  std::string once = without_debug(read_file("/proc/self/exe"));
  expect(without_debug(once) == once);
}
