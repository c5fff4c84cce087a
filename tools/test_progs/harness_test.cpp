// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Runs test_progs on its hidden self-tests: whatever a test does to its process, it is told as a
// failure with a reason, and the others still run.
#include <signal.h>
#include <unistd.h>

#include <regex>
#include <set>
#include <sstream>

#include "tools/lib/atomic_file.h"
#include "tools/lib/probe.h"
#include "tools/lib/process.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"
#include "tools/test_progs/run_program.h"

using unit_test::expect;
using unit_test::expect_eq;
using unit_test::expect_has;

static void expect_line(const Ended &ended, const std::string &line)
{
  expect(ended.has(line), fmt::format("no line '{}' in:\n{}", line, ended.out));
}

// The number of a test, as its result line gives it.
static std::string number_of(const Ended &ended, const std::string &name)
{
  std::smatch match;
  std::regex pattern("#([0-9]+) +" + name + ":");
  expect(std::regex_search(ended.out, match, pattern), name + " has no result line");
  return match[1];
}

static std::string result_line(const Ended &ended, const std::string &name, const std::string &rest)
{
  return fmt::format("#{:<7} {}:{}", number_of(ended, name), name, rest);
}

static std::string subtest_line(const Ended &ended, int subtest, const std::string &test,
                                const std::string &rest)
{
  return fmt::format("#{:<7} {}/{}", fmt::format("{}/{}", number_of(ended, test), subtest), test,
                     rest);
}

// Runs one bad test between two good ones.
static Ended run_among_others(const std::string &name, std::vector<std::string> options = {})
{
  options.insert(options.end(), {"-a", name + ",selftest_pass,selftest_alone"});
  Ended ended = run_test_progs(options);
  expect(ended.status == 1, fmt::format("exit {}: {}", ended.status, ended.err));
  expect_line(ended, result_line(ended, "selftest_alone", "OK"));
  expect_line(ended, result_line(ended, "selftest_pass", "OK"));
  expect_line(ended, result_line(ended, name, "FAIL"));
  return ended;
}

TEST(passing)
{
  Ended ended = run_test_progs({"-a", "selftest_pass,selftest_pass_too"});
  expect_eq(ended.status, 0);
  expect_line(ended, subtest_line(ended, 1, "selftest_pass", "one:OK"));
  expect_line(ended, subtest_line(ended, 2, "selftest_pass", "two:OK"));
  expect_line(ended, "Summary: 2/2 PASSED, 0 SKIPPED, 0 FAILED");
}

TEST(one_subtest_by_name_keeps_its_number)
{
  Ended ended = run_test_progs({"-a", "selftest_pass/two"});
  expect_eq(ended.status, 0);
  expect_line(ended, subtest_line(ended, 2, "selftest_pass", "two:OK"));
  expect_line(ended, "Summary: 1/1 PASSED, 0 SKIPPED, 0 FAILED");
}

TEST(a_subtest_that_is_not_there_does_not_pass)
{
  Ended ended = run_test_progs({"-a", "selftest_pass/typo"});
  expect_eq(ended.status, 2);
  expect_line(ended, "selftest_pass:SKIP:no subtest is selected");
}

TEST(failures_show_their_log_before_their_line_and_at_the_end)
{
  Ended ended = run_among_others("selftest_mixed");
  std::string log = "selftest_mixed/bad:FAIL:1 unexpected 1: actual 1 != expected 2";
  std::string line = subtest_line(ended, 2, "selftest_mixed", "bad:FAIL");
  expect(ended.out.find(log) < ended.out.find(line), "log before line");
  expect_has(ended.out, "(No such file or directory) != expected -22 (Invalid argument)");
  expect(ended.out.find("not reached") == std::string::npos, "REQUIRE ends the subtest");
  expect_line(ended, "selftest_mixed/skipped:SKIP:the moon is missing");
  expect_line(ended, "Summary: 2/4 PASSED, 1 SKIPPED, 1 FAILED");
  std::string end = ended.out.substr(ended.out.find("\nAll error logs:\n"));
  expect_has(end, log);
  expect(end.find("/good:OK") == std::string::npos, "only failures at the end");
}

TEST(a_reader_that_leaves_costs_no_report)
{
  TemporaryDirectory here;
  process::Finished ended = process::run(
      {"sh", "-c", "\"$TEST_PROGS\" -a selftest_pass -J \"$0\" >/dev/full", here / "report"});
  expect_eq(ended.status.exit_code(), 3);
  expect_has(ended.err, "cannot write to the standard output: No space left");
  expect_has(read_file(here / "report"), "\"success\"");
}

TEST(two_reports_are_two_files)
{
  Ended ended = run_test_progs({"-J", "a.json", "--junit", "./a.json"});
  expect_eq(ended.status, 64);
  expect_has(ended.err, "-J and --junit: both would write 'a.json'");
}

TEST(skips)
{
  Ended all = run_test_progs({"-a", "selftest_skip,selftest_missing"});
  expect_eq(all.status, 4);
  expect_line(all, "selftest_skip:SKIP:the moon is missing");
  expect_line(all, result_line(all, "selftest_missing", "SKIP"));
  expect_line(all, "Summary: 2/0 PASSED, 2 SKIPPED, 0 FAILED");
  Ended some = run_test_progs({"-a", "selftest_skip,selftest_part_skipped"});
  expect_eq(some.status, 0);
  expect_line(some, result_line(some, "selftest_part_skipped", "OK (SKIP: 1/2)"));
}

TEST(a_skip_hides_no_failure) { run_among_others("selftest_fail_then_skip"); }

TEST(failure_outside_of_the_subtests)
{
  Ended ended = run_among_others("selftest_fail_outside");
  expect_has(ended.out,
             "selftest_fail_outside:FAIL:-EPERM unexpected error: -1 (Operation not perm");
  expect_has(ended.out, "/good:OK");
}

TEST(exceptions_of_any_type)
{
  Ended ended = run_among_others("selftest_foreign_exception");
  expect_has(ended.out, "selftest_foreign_exception/throws:FAIL:exception of an unknown type");
  expect_has(ended.out, "/next:OK");
}

TEST(subtests_do_not_nest)
{
  expect_has(run_among_others("selftest_nested").out, "a subtest inside a subtest");
}

TEST(crash_shows_signal_and_stack)
{
  Ended ended = run_among_others("selftest_segv");
  expect_has(ended.out, "about to crash"); // not lost in a buffer
  expect_has(ended.out, "Caught signal #11!\nStack trace:\n");
  expect_has(ended.out, "run_body");
  expect_has(ended.out, "selftest_segv/crash:FAIL:killed by signal 11 (Segmentation fault)");
  expect_line(ended, subtest_line(ended, 1, "selftest_segv", "before:OK"));
  expect_line(ended, subtest_line(ended, 2, "selftest_segv", "crash:FAIL"));
}

TEST(crash_of_other_kinds)
{
  expect_has(run_among_others("selftest_abort").out, "Caught signal #6!");
  expect_has(run_among_others("selftest_stack_overflow").out, "Caught signal #11!");
}

TEST(leaving_by_exit_is_a_failure)
{
  expect_has(run_among_others("selftest_exit").out, "selftest_exit/leaves:FAIL:called exit(0)");
}

TEST(a_forked_child_does_not_speak_for_the_test)
{
  Ended ended = run_among_others("selftest_fork_comes_back");
  expect_has(ended.out, "a forked child left the test body");
}

TEST(killed_by_someone)
{
  expect_has(run_among_others("selftest_killed").out, "killed by signal 9 (Killed): by someone");
}

TEST(killed_for_want_of_memory)
{
  Ended ended = run_test_progs({"-a", "selftest_out_of_memory,selftest_pass"});
  if (ended.status == 0 && ended.has(result_line(ended, "selftest_out_of_memory", "SKIP")))
    return; // says in its line why
  expect_eq(ended.status, 1);
  expect_has(ended.out, "killed by signal 9 (Killed): out of memory");
  expect_line(ended, result_line(ended, "selftest_pass", "OK"));
}

TEST(watchdog_ends_a_loop)
{
  Ended ended = run_among_others("selftest_loop", {"-w", "1"});
  expect_has(ended.err, "WATCHDOG: test case selftest_loop/spins executes for 1 seconds, term");
  expect_has(ended.out, "WATCHDOG: test case selftest_loop/spins takes too long\nStack trace:\n");
  expect_has(ended.out, "selftest_loop/spins:FAIL:watchdog: ended after 1 seconds");
  expect_line(ended, subtest_line(ended, 1, "selftest_loop", "before:OK"));
}

TEST(watchdog_ends_what_blocks_all_signals)
{
  Ended ended = run_among_others("selftest_deaf_loop", {"-w1", "-j2"});
  expect_has(ended.out, "selftest_deaf_loop:FAIL:watchdog: ended after 1 seconds");
}

TEST(huge_output_is_cut_in_the_middle)
{
  Ended ended = run_among_others("selftest_flood");
  expect_has(ended.out, "line 0 of a flood");
  expect_has(ended.out, "line 49999 of a flood");
  expect_has(ended.out, " bytes left out]");
  expect(ended.out.size() < 1 << 20, "twice 256 KiB and a little");
}

TEST(verbose_shows_everything_at_once)
{
  Ended ended = run_test_progs({"-v", "-a", "selftest_pass,selftest_flood"});
  expect_line(ended, "selftest_pass/one:PASS:true");
  expect_eq(ended.count(" of a flood that"), 50000u);
  expect(ended.out.find("All error logs") == std::string::npos, "not twice");
}

TEST(seed_is_told_and_taken)
{
  Ended ended = run_test_progs({"--seed", "12345", "-a", "selftest_seed"});
  expect_line(ended, "first 12345");
  expect_line(ended, "seed 12345 (replay with --seed 12345)");
}

TEST(workers_run_all_and_serial_tests_last)
{
  Ended ended = run_test_progs({"-j3", "-a",
                                "selftest_alone,selftest_mixed,selftest_pass,"
                                "selftest_pass_too,selftest_segv"});
  expect_eq(ended.status, 1);
  expect_line(ended, "Summary: 3/5 PASSED, 1 SKIPPED, 2 FAILED");
  std::string before = ended.out.substr(0, ended.out.find("\nAll error logs:"));
  expect(before.rfind("selftest_alone:OK") > before.rfind("selftest_pass:OK"), "serial last");
}

TEST(end_signal_ends_the_test_and_keeps_the_summary)
{
  bool sent = false;
  auto terminate = [&sent](pid_t pid, const std::string &out) {
    if (!sent && out.find("waiting as process") != std::string::npos)
      sent = kill(pid, SIGTERM) == 0;
  };
  Ended ended = run_test_progs({"-v", "-a", "selftest_pass,selftest_wait"}, terminate);
  expect_eq(ended.status, 128 + SIGTERM);
  expect_line(ended, "selftest_wait:FAIL:ended, since test_progs got signal 15");
  expect_line(ended, "Summary: 1/2 PASSED, 0 SKIPPED, 1 FAILED");
}

static bool is_gone(pid_t pid)
{
  for (int tries = 0; tries < 200; tries++) {
    if (kill(pid, 0) < 0 && errno == ESRCH)
      return true;
    usleep(25000);
  }
  return false;
}

TEST(worker_dies_with_the_runner)
{
  pid_t worker = 0;
  auto murder = [&worker](pid_t pid, const std::string &out) {
    std::smatch match;
    std::regex pattern("waiting as process ([0-9]+)\n");
    if (worker == 0 && std::regex_search(out, match, pattern)) {
      worker = std::stoi(match[1]);
      kill(pid, SIGKILL);
    }
  };
  Ended ended = run_test_progs({"-v", "-a", "selftest_wait"}, murder);
  expect_eq(ended.status, 128 + SIGKILL);
  expect(worker > 0 && is_gone(worker), "the worker is still there");
}

TEST(an_orphan_does_not_outlive_a_crash)
{
  Ended ended = run_among_others("selftest_leak_orphan_and_crash");
  std::smatch match;
  std::regex pattern("orphan ([0-9]+)\n");
  expect(std::regex_search(ended.out, match, pattern), "no orphan");
  expect(is_gone(std::stoi(match[1])), "the orphan is still there");
}

TEST(hidden_tests_are_neither_listed_nor_run_by_pattern)
{
  expect(run_test_progs({"-l"}).out.find("selftest") == std::string::npos, "listed");
  for (const char *option : {"-t", "-a"})
    expect_eq(run_test_progs({option, "selftest_*"}).status, 2);
}

static std::set<std::string> words(const std::string &text)
{
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Meson runs the tests by the names that it read out of the sources.
TEST(list_and_count_agree_with_meson)
{
  auto listed = words(run_test_progs({"-l"}).out);
  expect(listed == words(getenv("TEST_PROGS_NAMES") ?: ""),
         "reconfigure, or write TEST(name) alone "
         "at the beginning of a line");
  expect_eq(run_test_progs({"-c"}).out, fmt::format("{}\n", listed.size()));
}

TEST(usage_errors)
{
  std::vector<std::vector<std::string>> cases{
      {"positional"}, {"-n", "-1"}, {"-n", "0"},  {"-j0"},       {"-jx"},         {"-w", "x"},
      {"-w", "-5"},   {"-t", ""},   {"-a", ","},  {"-t"},        {"-a", "@/nix"}, {"--nonsense"},
      {"-vvvv"},      {"-J"},       {"--seed=y"}, {"-w", "1 2"}, {"--verbose=x"}};
  for (const auto &arguments : cases) {
    Ended ended = run_test_progs(arguments);
    expect_eq(ended.status, 64);
    expect(ended.out.empty() && ended.err.starts_with("test_progs: "), ended.err);
  }
  expect_eq(run_test_progs({"--meson", "-n", "-1"}).status, 99);
}

TEST(help_fits_a_screen)
{
  Ended ended = run_test_progs({"-?"});
  expect_eq(ended.status, 0);
  expect(ended.count("\n") <= 40, "too many lines");
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);)
    expect(line.size() <= 80, line);
}

TEST(version) { expect(run_test_progs({"-V"}).out.starts_with("test_progs ")); }

TEST(probe_table_gives_a_reason_for_every_no)
{
  Ended ended = run_test_progs({"--probe"});
  expect_eq(ended.status, 0);
  expect_eq(ended.count("\n"), probe::all().size());
  std::istringstream lines(ended.out);
  std::regex pattern("[a-z0-9_]+ +(yes|no   .{10,})");
  for (std::string line; std::getline(lines, line);)
    expect(std::regex_match(line, pattern), line);
}

TEST(kernel_versions_are_compared_as_numbers)
{
  expect(!probe::kernel_at_least(2, 6) && !probe::kernel_at_least(5, 8), "older");
  expect_eq(probe::kernel_at_least(1000, 0).value_or(""), "kernel 1000.0 or newer is needed");
}

TEST(exit_codes_for_meson)
{
  expect_eq(run_test_progs({"--meson", "-a", "selftest_pass"}).status, 0);
  expect_eq(run_test_progs({"--meson", "-a", "selftest_mixed"}).status, 1);
  expect_eq(run_test_progs({"--meson", "-a", "selftest_skip"}).status, 77);
  expect_eq(run_test_progs({"--meson", "-a", "nobody"}).status, 99);
}

TEST(who_may_not_use_bpf_gets_one_line)
{
  if (geteuid() != 0 || run_test_progs({"-l"}).out.empty())
    return;
  process::Child child = process::fork_child([] {
    bool skipped = setresuid(65534, 65534, 65534) == 0;
    Ended ended = run_test_progs({"-n", "1"});
    // 127: not even the program could be reached as this user.
    skipped &= ended.status == 127 || (ended.status == 4 && ended.count("\n") == 1);
    return skipped ? 0 : 1;
  });
  child.wait();
  expect(child.status().success(), child.status().describe());
}
