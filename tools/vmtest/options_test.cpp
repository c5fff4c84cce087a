// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/options.h"

#include <algorithm>
#include <sstream>

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace vmtest;

static Options parse(std::vector<const char *> arguments)
{
  arguments.insert(arguments.begin(), "vmtest");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

static void expect_refused(const std::vector<const char *> &arguments, const std::string &why)
{
  expect_throws([&] { parse(arguments); }, why);
}

TEST(command_is_what_follows_the_dashes)
{
  Options options =
      parse({"--kernel", "a", "--kernel=b", "-v", "--", "test_progs", "-t", "--help"});
  expect(options.kernels == std::vector<std::string>{"a", "b"});
  expect(options.command == std::vector<std::string>{"test_progs", "-t", "--help"});
  expect(options.verbose && !options.shell);
  expect_eq(options.timeout_s, 300);
  expect_eq(options.memory_mib, 1024u);
}

TEST(what_is_missing_is_said)
{
  expect_refused({"--", "x"}, "name a kernel");
  expect_refused({"--kernel", "a"}, "no command");
  expect_refused({"--kernel", "a", "--"}, "no command");
  expect_refused({"--kernel", "a", "x"}, "comes behind --");
  expect_refused({"--kernel", "a", "--bogus", "--", "x"}, "--bogus");
  expect(parse({"--kernel", "a", "--shell"}).command.empty());
  expect_refused({"--kernel", "a", "--kernel", "a", "--out", "o", "--", "x"},
                 "the same kernel twice");
}

TEST(numbers_are_whole_and_in_range)
{
  expect_refused({"--kernel", "a", "--cpus", "0", "--", "x"}, "--cpus: '0'");
  expect_refused({"--kernel", "a", "--timeout", "5x", "--", "x"}, "--timeout: '5x'");
  expect_refused({"--kernel", "a", "-j", "-1", "--", "x"}, "-j");
  expect_eq(parse({"--kernel", "a", "--timeout", "0", "--", "x"}).timeout_s, 0);
}

TEST(memory_has_units)
{
  expect_eq(parse_memory_mib("512"), 512u);
  expect_eq(parse_memory_mib("512M"), 512u);
  expect_eq(parse_memory_mib("2G"), 2048u);
  for (const char *wrong :
       {"", "G", "1", "-1G", "1T", "2g", "99999999999G", "18446744073709551615G"})
    expect_throws([&] { parse_memory_mib(wrong); }, "is no size");
}

TEST(environment_is_name_and_value)
{
  Options options = parse({"--kernel", "a", "--env", "A=b=c", "--env", "B=", "--", "x"});
  expect_eq(options.environment.at("A"), "b=c");
  expect_eq(options.environment.at("B"), "");
  expect_refused({"--kernel", "a", "--env", "=x", "--", "x"}, "NAME=VALUE");
}

TEST(icount_has_seeds_and_one_cpu)
{
  expect(parse({"--kernel", "a", "--icount", "--", "x"}).seeds == std::vector<uint64_t>{1});
  expect(parse({"--kernel", "a", "--icount", "--seed", "7", "--", "x"}).seeds ==
         std::vector<uint64_t>{7});
  expect(parse({"--kernel", "a", "--icount", "--seeds", "3", "--", "x"}).seeds ==
         std::vector<uint64_t>{1, 2, 3});
  expect(parse({"--kernel", "a", "--icount", "--seeds", "6-8", "--", "x"}).seeds ==
         std::vector<uint64_t>{6, 7, 8});
  expect(parse({"--kernel", "a", "--", "x"}).seeds.empty());
  expect_refused({"--kernel", "a", "--seed", "7", "--", "x"}, "need --icount");
  expect_refused({"--kernel", "a", "--splat", "a(", "--", "x"}, "--splat: 'a(' is no regular");
  expect_refused({"--kernel", "a", "--allow-splat", "", "--", "x"}, "it is empty");
  expect_refused({"--kernel", "a", "--icount", "--cpus", "2", "--", "x"}, "one CPU");
  expect_refused({"--kernel", "a", "--icount", "--shell"}, "exclude each other");
  expect_refused({"--kernel", "a", "--icount", "--accelerator", "kvm", "--", "x"}, "under TCG");
  expect_refused({"--kernel", "a", "--accelerator", "xen", "--", "x"}, "--accelerator");
}

TEST(model_counts_instructions_and_a_profile_wants_a_model)
{
  Options options = parse({"--kernel", "a", "--model", "--", "x"});
  expect(options.icount && options.seeds == std::vector<uint64_t>{1} && options.profile.empty());
  expect_eq(options.model, "generic");
  expect_eq(parse({"--kernel", "a", "--model=amd-zen5", "--", "x"}).model, "amd-zen5");
  expect_eq(parse({"--kernel", "a", "--model", "m.toml", "--", "x"}).model, "m.toml");
  expect_eq(parse({"--kernel", "a", "--profile", "p", "--", "x"}).model, "generic");
  expect_eq(parse({"--kernel", "a", "--icount", "--", "x"}).model, "");
  expect_refused({"--kernel", "a", "--model", "--cpus", "2", "--", "x"}, "one CPU");
}

TEST(stdin_is_for_one_guest_that_does_not_count)
{
  expect(parse({"--kernel", "a", "--stdin", "--", "x"}).input);
  expect(!parse({"--kernel", "a", "--", "x", "--stdin"}).input);
  expect_refused({"--kernel", "a", "--kernel", "b", "--stdin", "--", "x"}, "one kernel");
  expect_refused({"--kernel", "a", "--stdin", "--shell"}, "has the terminal");
  expect_refused({"--kernel", "a", "--stdin", "--icount", "--", "x"}, "exclude each other");
}

TEST(gdb_has_a_port)
{
  expect_eq(parse({"--kernel", "a", "--gdb", "--", "x"}).gdb_port, 1234);
  expect_eq(parse({"--kernel", "a", "--gdb=99", "--", "x"}).gdb_port, 99);
  expect_eq(parse({"--kernel", "a", "--", "x"}).gdb_port, 0);
  expect_refused({"--kernel", "a", "--kernel", "b", "--gdb", "--", "x"}, "one kernel");
}

TEST(help_fits_a_screen_and_has_every_option)
{
  std::istringstream lines(help_text());
  size_t count = 0;
  for (std::string line; std::getline(lines, line); count++)
    expect(line.size() <= 80, line);
  expect(count <= 40, fmt::format("{} lines", count));
  for (const char *option :
       {"--kernel",  "--with",      "--share",  "--out",        "--env",        "--need",
        "--timeout", "--memory",    "--cpus",   "--append",     "--warn-fatal", "--shell",
        "--gdb",     "-j,--jobs N", "--json",   "-v,--verbose", "--dry-run",    "--accelerator",
        "--qemu",    "--icount",    "--seed S", "--seeds N",    "--refresh",    "--stdin",
        "--model",   "--profile",   "--root"})
    expect_has(help_text(), option);
}
