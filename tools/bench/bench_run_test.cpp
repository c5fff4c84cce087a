// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench on the live kernel: every benchmark runs and prints the lines of the kernel's bench, its
// result file holds all samples, and however it ends it leaves nothing behind.
#include <signal.h>
#include <sys/mount.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tools/bench/run_bench.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/bench_line.h"
#include "tools/lib/cpus.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench_test;
using bench_line::Kind;
namespace fs = std::filesystem;

static std::vector<std::string> all_names()
{
  std::vector<std::string> names;
  for (const std::string &line : run_bench({"-l"}).lines())
    if (line.compare(0, 2, "- ") == 0)
      names.push_back(line.substr(2));
  return names;
}

static std::vector<bench_line::Line> parsed_lines(const Ended &ended)
{
  std::vector<bench_line::Line> lines;
  for (const std::string &text : ended.lines())
    if (auto line = bench_line::parse(text)) {
      expect_eq(bench_line::format(*line), text);
      lines.push_back(*line);
    }
  return lines;
}

static std::vector<double> samples_of(const result::Benchmark &row, const std::string &metric)
{
  std::vector<double> samples;
  for (const result::Metric &each : row.metrics)
    if (each.name == metric)
      for (const auto &load : each.samples)
        for (double sample : load)
          if (!std::isnan(sample)) // an interval without an op
            samples.push_back(sample);
  expect(!samples.empty(), row.name + " has no metric " + metric);
  return samples;
}

static double least(const std::vector<double> &values)
{
  return *std::min_element(values.begin(), values.end());
}

// Setting up, started, three intervals, summary: in this order and nothing of them twice. On a busy
// machine more intervals, where nothing was done in those three.
static void expect_whole_run(const Ended &ended, const std::string &name)
{
  expect(ended.status == 0, fmt::format("{}: exit {}: {}", name, ended.status, ended.err));
  auto lines = parsed_lines(ended);
  expect(lines.size() >= 6, fmt::format("{}: {} lines", name, lines.size()));
  size_t intervals = lines.size() - 3;
  expect(lines[0].kind == Kind::SettingUp && lines[0].name == name, name);
  expect(lines[1].kind == Kind::Started && lines[1].name == name, name);
  for (size_t i = 0; i < intervals; i++)
    expect(lines[2 + i].kind == Kind::Iter && lines[2 + i].iteration == static_cast<int>(i), name);
  expect(lines.back().kind == Kind::Summary, name);
}

// A benchmark that this kernel cannot run: one line that says what is missing, and exit 4.
static bool is_skipped(const Ended &ended, const std::string &name)
{
  std::string beginning = name + ": skipped: ";
  return ended.status == 4 && ended.err.rfind(beginning, 0) == 0 &&
         ended.err.size() > beginning.size() + 1;
}

TEST(run_every_benchmark_prints_the_lines_of_the_kernels)
{
  auto names = all_names();
  expect(names.size() >= 75);
  // Those whose lines upstream_reports_test.cpp looks at.
  const std::vector<std::string> other_lines{"bpf-hashmap", "bpf-rhashmap", "bpf-nop",
                                             "local-storage", "sockmap"};
  for (const std::string &name : names) {
    // Nothing of a guest's costs is known beforehand, and this test is about lines.
    Ended ended = run_shortest({name});
    if (is_skipped(ended, name))
      continue;
    if (std::none_of(other_lines.begin(), other_lines.end(),
                     [&](const std::string &begin) { return name.rfind(begin, 0) == 0; }))
      expect_whole_run(ended, name);
    else
      expect(ended.status == 0 && ended.lines().size() >= 3,
             fmt::format("{}: exit {}: {}{}", name, ended.status, ended.out, ended.err));
  }
}

// What is measured is what the program counted, so that a net latency below zero would mean that
// the base does more than the benchmark.
TEST(run_net_of_hooks_takes_the_trigger_off)
{
  for (const char *name : {"trig-rawtp", "trig-uprobe-nop", "trig-fentry", "trig-kprobe"}) {
    TemporaryDirectory here;
    Ended ended = run_shortest({"--net", name, "--json", here / "out.json"});
    if (is_skipped(ended, name))
      continue;
    expect(ended.status == 0, ended.err);
    auto row = result::read_result(here / "out.json").benchmarks.at(0);
    expect(least(samples_of(row, "latency_net")) > 0, name);
    expect(least(samples_of(row, "latency_net")) < least(samples_of(row, "latency")), name);
  }
}

TEST(run_records_are_received_in_every_mode)
{
  for (const char *name : {"rb-libbpf", "rb-custom", "pb-libbpf", "pb-custom"})
    for (const char *mode : {"--rb-b2b", "--rb-sampled", "--rb-use-output"}) {
      Ended ended = run_shortest({name, mode});
      expect(ended.status == 0, fmt::format("{} {}: {}", name, mode, ended.err));
      expect(parsed_lines(ended).back().hits_drops->hits.mean > 0, ended.out);
    }
  Ended alone = run_shortest({"rb-libbpf", "--rb-bench-producer"});
  expect_eq(alone.status, 0);
}

TEST(run_sockets_in_every_mode)
{
  for (const char *mode : {"--rx-verdict-egress", "--rx-pass", "--rx-normal", "--tx-verdict-egress",
                           "--tx-verdict-ingress", "--tx-pass", "--tx-normal"}) {
    Ended ended = run_shortest({"-c2", "-a", "sockmap", mode});
    expect(ended.status == 0, fmt::format("{}: {}", mode, ended.err));
  }
}

TEST(run_cipher_that_cannot_be_is_not_measured)
{
  Ended none = run_shortest({"crypto-encrypt", "--crypto-cipher", "ecb(rot13)"});
  expect_eq(none.status, 4);
  if (is_skipped(run_shortest({"crypto-encrypt"}), "crypto-encrypt"))
    throw Skip("this kernel has no ciphers for BPF");
  expect_has(none.err, "no cipher 'ecb(rot13)'");
  // No whole number of blocks: the kernel's bench counts the refusals.
  Ended odd = run_shortest({"crypto-encrypt", "--crypto-len", "17"});
  expect_eq(odd.status, 1);
  expect_has(odd.err, "Invalid argument");
}

TEST(run_quiet_leaves_figures_only)
{
  Ended ended = run_shortest({"-q", "lpm-trie-noop"});
  auto lines = parsed_lines(ended);
  expect_eq(ended.lines().size(), 4u);
  expect(lines.size() == 4 && lines[0].kind == Kind::Iter && lines[3].kind == Kind::Summary);
}

TEST(run_globs_and_names_one_after_another)
{
  Ended ended = run_shortest({"strncmp-*", "lpm-trie-noop"});
  std::vector<std::string> names;
  for (const auto &line : parsed_lines(ended))
    if (line.kind == Kind::Started)
      names.push_back(line.name);
  expect_eq(ended.status, 0);
  expect(names == std::vector<std::string>{"strncmp-helper", "strncmp-no-helper", "lpm-trie-noop"});
}

TEST(run_tries_of_all_prefix_lengths)
{
  for (int length : {1, 7, 8, 12, 13, 16, 24, 31, 32}) {
    // All prefixes that there are, as long as they are few.
    std::string entries = std::to_string(length <= 16 ? 1 << length : 20000);
    auto result =
        measure({"lpm-trie-lookup", "lpm-trie-update", "lpm-trie-insert", "lpm-trie-delete",
                 "--nr_entries", entries, "--prefix_len", std::to_string(length)});
    for (const auto &row : result.benchmarks)
      expect(least(samples_of(row, "latency")) > 0, row.name);
  }
}

TEST(run_values_up_to_256_bytes)
{
  for (const char *size : {"2", "9", "255", "256"}) {
    auto result = measure({"bloom-*", "hashmap-*", "--value_size", size, "--nr_entries", "500"});
    expect_eq(result.benchmarks.size(), 5u);
  }
}

TEST(run_writes_all_loads_and_samples)
{
  auto result = measure({"--loads", "3", "-d2", "bloom-false-positive", "htab-mem"});
  expect_eq(result.tool.name, std::string("bench"));
  expect(result.environment.contains("kernel") && result.environment.contains("toolchain"));
  expect_eq(result.benchmarks.size(), 2u);
  for (const auto &row : result.benchmarks) {
    expect(row.status == result::Status::Ok && row.bytecode.size() == 16 && !row.op.empty());
    expect_eq(row.parameters.at("producers").whole(), 1);
    int gated_times = 0;
    for (const auto &metric : row.metrics) {
      gated_times += metric.gated && metric.kind == result::Class::Time;
      expect_eq(metric.samples.size(), 3u);
      for (const auto &load : metric.samples)
        expect_eq(load.size(), 3u);
    }
    expect_eq(gated_times, 1);
  }
}

TEST(run_several_loads_prints_one_summary)
{
  auto lines = parsed_lines(run_shortest({"--loads", "3", "strncmp-helper"}));
  expect_eq(lines.size(), 3u);
  expect(lines[2].kind == Kind::Summary);
}

TEST(run_bloom_rate_is_printed_in_both_ways)
{
  Ended ended = run_shortest({"bloom-false-positive", "--nr_entries", "50000"});
  expect_has(ended.out, "\nTrue rate: ");
  expect_has(ended.out, "formula 8.27");
  auto summary = parsed_lines(ended).back();
  // Near the published 7.65 %; other rates in the table are more than 1.4 points away.
  expect_near(summary.false_hits->percentage, 7.65, 0.7);
}

TEST(run_memory_is_never_zero)
{
  for (const char *use_case : {"overwrite", "batch_add_batch_del", "add_del_on_diff_cpu"}) {
    bool pairs = std::string(use_case) == "add_del_on_diff_cpu";
    if (pairs && allowed_cpus().size() < 2)
      continue;
    for (bool preallocated : {false, true}) {
      std::vector<std::string> more{"htab-mem", "--use-case", use_case, pairs ? "-p2" : "-p1"};
      if (preallocated)
        more.push_back("--preallocated");
      auto result = measure(more);
      expect(least(samples_of(result.benchmarks.at(0), "memory")) > 0.01, use_case);
    }
  }
}

// In a mount namespace where no memory cgroup can be reached.
static void expect_own_accounting()
{
  Ended ended = run_shortest({"htab-mem", "--preallocated"});
  expect(ended.status == 0, ended.err);
  auto summary = parsed_lines(ended).back();
  expect(summary.htab_mem && summary.htab_mem->memory && summary.htab_mem->peak, ended.out);
  // 8,192 elements of 64 bytes or so, and nothing of the process.
  expect(summary.htab_mem->memory->mean > 0.3 && summary.htab_mem->memory->mean < 3, ended.out);
}

TEST(run_without_cgroups_takes_the_maps_own_accounting)
{
  in_own_mounts([] {
    while (umount2("/sys/fs/cgroup", MNT_DETACH) == 0)
      ;
    expect_own_accounting();
  });
  in_own_mounts([] {
    expect(mount("none", "/sys/fs/cgroup", "tmpfs", 0, nullptr) == 0, "mount over the cgroups");
    expect_own_accounting();
  });
}

TEST(run_with_injection_reports_it)
{
  TemporaryDirectory here;
  Ended ended = run_shortest({"--inject", "30%", "lpm-trie-baseline", "lpm-trie-noop", "--inject",
                              "*-noop=0.5", "--json", here / "out.json"});
  expect(ended.status == 0, ended.err);
  expect_has(ended.out, "Injecting 30 % of ");
  expect_has(ended.out, "Injecting 0.5 % of ");
  auto result = result::read_result(here / "out.json");
  expect_eq(result.benchmarks.at(0).inject_pct.value(), 30.0);
  expect_eq(result.benchmarks.at(1).inject_pct.value(), 0.5);
  expect(!measure({"lpm-trie-noop"}).benchmarks.at(0).inject_pct);
}

TEST(run_net_takes_loop_and_keys_off)
{
  auto result = measure({"--net", "lpm-trie-lookup", "--nr_entries", "1000"});
  const auto &row = result.benchmarks.at(0);
  expect(least(samples_of(row, "latency_net")) < least(samples_of(row, "latency")));
  expect_has(run_shortest({"--net", "strncmp-helper"}).out, "\nNet: latency ");
  expect_has(run_shortest({"--net", "lpm-trie-noop"}).out, "\nNet: this benchmark is its");
}

TEST(run_strncmp_measures_the_comparison)
{
  // A system call per op would allow some 0.7 M ops/s and hide the length: with one, the longest
  // would take 2 to 3 times as long as the shortest. Both ratios are wide, for any machine.
  constexpr double ns_of_a_syscall_per_op = 1e3 / 0.7;
  for (const char *name : {"strncmp-no-helper", "strncmp-helper"}) {
    auto latency = [name](const char *length) {
      return least(
          samples_of(measure({"-d4", name, "--cmp-str-len", length}).benchmarks.at(0), "latency"));
    };
    double shortest_ns = latency("1"), longest_ns = latency("4095");
    expect(longest_ns > 10 * shortest_ns,
           fmt::format("{}: {} ns at 1 byte, {} at 4095", name, shortest_ns, longest_ns));
    expect(shortest_ns < ns_of_a_syscall_per_op / 20,
           fmt::format("{}: {} ns at 1 byte", name, shortest_ns));
  }
}

TEST(run_without_space_says_so_and_leaves_nothing)
{
  Ended full = run_shortest({"-q", "lpm-trie-noop", "--json", "/dev/full"});
  expect_eq(full.status, 1);
  expect_eq(full.err, std::string("bench: cannot write '/dev/full': No space left on device\n"));
  TemporaryDirectory here;
  Ended nowhere = run_shortest({"lpm-trie-noop", "--json", here / "no/such"});
  expect(nowhere.status == 1 && nowhere.err.find("no/such'") != std::string::npos, nowhere.err);
  in_own_mounts([&] {
    expect(mount("none", here.path().c_str(), "tmpfs", 0, "size=16k") == 0, "mount a tmpfs");
    write_file(here / "out.json", "old");
    std::ofstream(here / "filler") << std::string(1 << 20, 'x'); // as much as there is room for
    Ended ended = run_shortest({"lpm-trie-noop", "--json", here / "out.json"});
    expect_eq(ended.status, 1);
    expect_has(ended.err, "out.json': No space left on device");
    expect_eq(read_file(here / "out.json"), std::string("old"));
    expect_eq(std::distance(fs::directory_iterator(here.path()), fs::directory_iterator()), 2);
  });
}

TEST(run_interrupted_gives_the_figures_so_far)
{
  TemporaryDirectory here;
  for (int number : {SIGINT, SIGTERM}) {
    Process bench(bench_program(), {"-w1", "-d100000", "--interval", "20", "htab-mem",
                                    "lpm-trie-noop", "--json", here / "out.json"});
    bench.read_until("Iter   3 ");
    bench.signal(number);
    Ended ended = bench.wait();
    expect_eq(ended.status, 128 + number);
    expect(parsed_lines(ended).back().kind == Kind::Summary, ended.out);
    auto result = result::read_result(here / "out.json");
    expect_eq(result.benchmarks.size(), 1u); // the next one is not begun
    expect(result.benchmarks[0].status == result::Status::Interrupted);
    expect(result.benchmarks[0].metrics.at(0).samples.at(0).size() >= 3);
  }
}

TEST(run_interrupted_in_the_warm_up_has_no_figures)
{
  TemporaryDirectory here;
  Process bench(bench_program(), {"-w1000", "-d1", "--interval", "20", "lpm-trie-noop", "--json",
                                  here / "out.json"});
  bench.read_until("Iter   0 ");
  bench.signal(SIGINT);
  Ended ended = bench.wait();
  expect_eq(ended.status, 128 + SIGINT);
  expect_has(ended.err, "interrupted before the first figure");
  expect(result::read_result(here / "out.json").benchmarks.at(0).metrics.empty());
}

TEST(run_killed_leaves_no_cgroup)
{
  Process bench(bench_program(), {"-d100000", "--interval", "20", "htab-mem"});
  bench.read_until("Iter   0 ");
  pid_t pid = bench.pid();
  if (!count_cgroups(pid))
    throw Skip("no memory cgroup can be made here");
  bench.signal(SIGKILL);
  expect_eq(bench.wait().status, 128 + SIGKILL);
  // Not a limit on speed: only so that a cgroup that stays ends the test.
  for (int i = 0; i < 3000 && count_cgroups(pid); i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  expect_eq(count_cgroups(pid), 0);
}

TEST(run_two_at_once)
{
  std::vector<std::string> memory{"-w1", "-d1", "--interval", "200", "htab-mem"},
      frees{"-w1", "-d1", "--interval", "500", "lpm-trie-free", "--nr_entries", "100"};
  Process first(bench_program(), memory), second(bench_program(), memory);
  Process third(bench_program(), frees), fourth(bench_program(), frees);
  for (Process *each : {&first, &second, &third, &fourth}) {
    Ended ended = each->wait();
    expect(ended.status == 0, ended.err);
  }
}

TEST(run_whose_output_is_closed_ends_with_an_error)
{
  Process bench(bench_program(), {"-w1", "-d100", "--interval", "20", "lpm-trie-noop"});
  bench.read_until("Iter   0 ");
  bench.close_out();
  Ended ended = bench.wait();
  expect_eq(ended.status, 1);
  expect_eq(ended.err, std::string("bench: cannot write to the standard output: Broken pipe\n"));
}

TEST(run_whose_output_is_full_ends_with_an_error)
{
  for (std::string arguments : {"-l", "lpm-trie-noop"}) {
    Process shell("/bin/sh", {"-c", "exec \"$BENCH\" " + arguments + " >/dev/full"});
    Ended ended = shell.wait();
    expect_refused(ended, 1, "cannot write to the standard output: No space left on device");
  }
}
