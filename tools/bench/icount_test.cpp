// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench inside guests whose clock counts instructions: the same seed gives the same bytes, what is
// injected is what is read, and what cannot be counted says so.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "tools/lib/atomic_file.h"
#include "tools/lib/result.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/vm_run.h"

using namespace unit_test;

// Lookup-like ops, one that allocates, and one that reads memory.
static const std::vector<std::string> names = {"lpm-trie-lookup", "lpm-trie-update", "bloom-*",
                                               "strncmp-helper", "htab-mem"};

struct Counted {
  std::string out, json;
  result::Result result;
};

// One boot: bench with these arguments, what it printed and what it wrote.
static Counted count(const std::string &seed, const std::vector<std::string> &arguments)
{
  TemporaryDirectory here;
  const char *bench = getenv("BENCH");
  expect(bench, "BENCH is not in the environment: run this by meson test");
  std::vector<std::string> command = {"--icount", "--seed", seed,     "--out", here.path(),
                                      "--",       bench,    "--json", "b.json"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  VmRun ended = run_vmtest(command);
  expect(ended.status == 0, fmt::format("exit {}: {}", ended.status, ended.err));
  Counted counted{ended.out, read_file(here / "b.json"), {}};
  counted.result = result::parse_result(counted.json, "b.json");
  return counted;
}

// The median of the loads: one alone may lie 0.2 % off.
static double figure(const Counted &counted, const std::string &name)
{
  for (const result::Benchmark &row : counted.result.benchmarks)
    if (row.name == name && !row.metrics.empty()) {
      std::vector<double> loads;
      for (const auto &load : row.metrics.at(0).samples)
        loads.push_back(load.at(0));
      std::sort(loads.begin(), loads.end());
      return loads.at(loads.size() / 2);
    }
  fail("no figure of " + name, std::source_location::current());
}

// Both cores of the host, or all of them, have something else to do while this lives.
class BusyHost {
public:
  BusyHost()
  {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); i++)
      x_threads.emplace_back([this] {
        while (x_busy)
          continue;
      });
  }
  ~BusyHost() { x_busy = false; }

private:
  std::atomic<bool> x_busy = true;
  std::vector<std::jthread> x_threads;
};

TEST(icount_same_seed_gives_the_same_bytes_on_a_loaded_host)
{
  Counted quiet = count("3", names), loaded = [] {
    BusyHost busy;
    return count("3", names);
  }();
  expect_eq(loaded.out, quiet.out);
  expect_eq(loaded.json, quiet.json);
}

TEST(icount_is_recorded_and_tells_no_times)
{
  Counted counted = count("3", names);
  auto environment = counted.result.environment;
  expect_eq(environment.at("accelerator").text(), std::string("icount"));
  auto vm = environment.at("vm");
  expect_eq(vm.at("seed").text(), std::string("3"));
  for (const char *member : {"qemu", "cpu", "initramfs", "kernel_build_id"})
    expect(!vm.at(member).text().empty(), member);
  expect_eq(counted.result.benchmarks.size(), 7u);
  for (const result::Benchmark &row : counted.result.benchmarks) {
    const result::Metric &first = row.metrics.at(0);
    expect(first.name == "instructions" && first.unit == "insns/op" && first.gated, row.name);
    for (const result::Metric &metric : row.metrics)
      expect(metric.kind != result::Class::Time, row.name + " " + metric.name);
    expect(row.bytecode.size() == 16 && row.base_bytecode.size() == 16 &&
               row.bytecode != row.base_bytecode,
           row.name);
  }
  expect_has(counted.out, " insns/op\n");
  expect(counted.out.find("ns/op\n") == counted.out.find("insns/op\n") + 3, "no time per op");
}

TEST(icount_injection_reads_as_its_share_of_the_net_count)
{
  Counted plain = count("3", {"lpm-trie-lookup", "bloom-lookup", "strncmp-helper"});
  Counted slowed = count("3", {"--inject", "lpm-*=1%", "--inject", "strncmp-*=3%",
                               "lpm-trie-lookup", "bloom-lookup", "strncmp-helper"});
  auto change_pct = [&](const char *name) {
    return 100 * (figure(slowed, name) / figure(plain, name) - 1);
  };
  expect_near(change_pct("lpm-trie-lookup"), 1, 0.1);
  expect_near(change_pct("strncmp-helper"), 3, 0.1);
  expect_near(change_pct("bloom-lookup"), 0, 0.001);
}

TEST(icount_says_what_it_cannot_count)
{
  VmRun ended = run_vmtest({"--icount", "--with", getenv("BENCH"), "--", "sh", "-c",
                            "bench -p2 htab-mem --use-case add_del_on_diff_cpu; echo $?; "
                            "bench --serve lpm-trie-noop; echo $?; "
                            "bench --inject 0.01% lpm-trie-lookup; echo $?"});
  expect_eq(ended.status, 0);
  expect_has(ended.err, "htab-mem: skipped: 2 producers need a CPU each");
  expect_has(ended.err, "bench: skipped: --serve tells times");
  expect_has(ended.err, "lpm-trie-lookup: failed: --inject: 0.01 %");
  expect_has(ended.out, "...\n4\n4\n");
  expect_has(ended.out, "\n1\n");
}
