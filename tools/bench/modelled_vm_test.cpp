// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench and other commands in guests with the model: the same seed gives the same bytes, its
// instructions are those that the clock counts, profiles name functions, and what is wrong is told.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tools/lib/atomic_file.h"
#include "tools/lib/result.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/vm_run.h"

using namespace unit_test;

struct Boot {
  std::string out, json, callgrind, folded;
  result::Result result;
};

// bench of one name in a guest, with a profile.
static Boot boot(const std::string &seed, const std::string &name,
                 const std::vector<std::string> &more = {})
{
  TemporaryDirectory here;
  const char *bench = getenv("BENCH");
  expect(bench, "BENCH is not in the environment: run this by meson test");
  std::vector<std::string> command = {"--model", "--profile", here / "p", "--seed",
                                      seed,      "--out",     here / "o", "--",
                                      bench,     "--json",    "b.json",   name};
  command.insert(command.end(), more.begin(), more.end());
  VmRun ended = run_vmtest(command);
  expect(ended.status == 0, fmt::format("exit {}: {}", ended.status, ended.err));
  Boot boot{ended.out,
            read_file(here / "o/b.json"),
            read_file(here / ("p/" + name + ".callgrind")),
            read_file(here / ("p/" + name + ".folded")),
            {}};
  boot.result = result::parse_result(boot.json, "b.json");
  return boot;
}

static double figure(const Boot &boot, const std::string &metric)
{
  for (const result::Metric &each : boot.result.benchmarks.at(0).metrics)
    if (each.name == metric)
      return each.samples.at(0).at(0);
  fail("no metric " + metric, std::source_location::current());
}

TEST(model_same_seed_gives_the_same_bytes_on_a_loaded_host)
{
  const std::vector<std::string> random = {"--random", "--nr_entries", "10000"};
  Boot quiet = boot("3", "lpm-trie-lookup", random);
  std::atomic<bool> busy = true;
  std::vector<std::jthread> load;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); i++)
    load.emplace_back([&] {
      while (busy)
        continue;
    });
  Boot loaded = boot("3", "lpm-trie-lookup", random);
  busy = false;
  expect_eq(loaded.out, quiet.out);
  expect_eq(loaded.json, quiet.json);
  expect_eq(loaded.callgrind, quiet.callgrind);
  expect_eq(loaded.folded, quiet.folded);
}

TEST(model_counts_what_the_clock_counts)
{
  Boot counted = boot("1", "strncmp-helper");
  expect_near(figure(counted, "modelled_insns"), figure(counted, "instructions"), 0.02);
  expect(figure(counted, "modelled_branches") > 10, "a loop over bytes");
  expect_has(counted.out, "\nModelled: ");
  expect_has(counted.out, " per op\nModel generic: 8000 ops counted in each of 3 loads");
  expect_has(counted.folded, "bpf_strncmp");
  expect_has(counted.callgrind, "events: insns loads stores lines");
}

// 1,000 values of 8 bytes stay in a cache of 32 KiB and not in one of 4.
TEST(model_follows_its_file)
{
  TemporaryDirectory here;
  write_file(here / "small.toml", "name = 'small'\n[l1d]\nkib = 1\nways = 2\n");
  VmRun ended = run_vmtest({"--model", here / "small.toml", "--out", here / "o", "--",
                            getenv("BENCH"), "--json", "b.json", "bloom-lookup"});
  expect_eq(ended.status, 0);
  expect_has(ended.out, "Model small: ");
  Boot boot{"", "", "", "", result::read_result(here / "o/b.json")};
  expect(figure(boot, "modelled_l1d_misses") > 0.5, ended.out);
}

TEST(model_counts_a_command_that_knows_nothing_of_it)
{
  TemporaryDirectory here;
  VmRun ended = run_vmtest({"--profile", here.path(), "--", "cat", "/proc/version"});
  expect_eq(ended.status, 0);
  expect_has(ended.err, "modelled (generic): ");
  expect_has(read_file(here / "command.folded"), "do_syscall_64");
}

TEST(model_tells_what_is_wrong)
{
  TemporaryDirectory here;
  write_file(here / "typo.toml", "[l2]\nkb = 256\n");
  auto wrong = [&](const std::vector<std::string> &arguments, int status, const char *what) {
    std::vector<std::string> command = arguments;
    command.insert(command.end(), {"--", "cat", "/proc/version"});
    VmRun ended = run_vmtest(command);
    expect_eq(ended.status, status);
    expect_has(ended.err, what);
  };
  wrong({"--model", here / "typo.toml"}, 200, "line 2: 'l2.kb' is unknown");
  wrong({"--model", "--cpus", "2"}, 200, "one CPU");
  wrong({"--profile", "/proc/nowhere"}, 209, "cannot write to /proc/nowhere");
  auto qemu = [&](const char *text) {
    write_file(here / "qemu", text);
    std::filesystem::permissions(here / "qemu", std::filesystem::perms::owner_all);
    return here / "qemu";
  };
  wrong({"--model", "--qemu",
         qemu("#!/bin/sh\n[ $1 = --version ] && exec qemu-system-x86_64 $1\n"
              "echo 'qemu: -plugin: invalid option' >&2; exit 1\n")},
        206, "-plugin: invalid option");
  wrong({"--model", "--qemu",
         qemu("#!/bin/bash\nfor a; do args+=(\"${a/build=/build=other-}\"); done\n"
              "exec qemu-system-x86_64 \"${args[@]}\"\n")},
        206, "the model is of build ");
}

TEST(model_wants_an_end_for_each_begin)
{
  const char *marks = getenv("MODEL_MARKS");
  expect(marks, "MODEL_MARKS is not in the environment: run this by meson test");
  VmRun ended = run_vmtest({"--model", "--", marks, "begin"});
  expect_eq(ended.status, 205);
  expect_has(ended.err, "the model was told to begin and never to end");
  ended = run_vmtest({"--model", "--", marks, "begin", "end"});
  expect_eq(ended.status, 0);
  expect_has(ended.err, "modelled (generic): 1000"); // the loop, and little around it
}
