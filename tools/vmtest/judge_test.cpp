// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/judge.h"

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace vmtest;

static Evidence whole(const std::string &result)
{
  Evidence evidence;
  evidence.hello = true;
  evidence.result = result;
  evidence.complete = true;
  return evidence;
}

static std::string outcome(const Evidence &evidence)
{
  Verdict verdict = judge(evidence);
  expect(!verdict.detail.empty(), "no detail");
  return fmt::format("{} {}", info(verdict.outcome).name,
                     exit_code(verdict.outcome, verdict.status));
}

TEST(passed_needs_all_of_it)
{
  expect_eq(outcome(whole("exited 0")), "passed 0");
  Evidence evidence = whole("exited 0");
  evidence.complete = false;
  expect_eq(outcome(evidence), "no-result 205");
  evidence = whole("exited 0");
  evidence.line_error = "frame 3 has a wrong checksum";
  expect_eq(outcome(evidence), "no-result 205");
  expect_has(judge(evidence).detail, "frame 3 has a wrong checksum");
  expect_eq(outcome(whole("")), "no-result 205");
  expect_eq(outcome(whole("exited")), "no-result 205");
  expect_eq(outcome({}), "no-result 205");
}

TEST(statuses_are_the_commands_own)
{
  expect_eq(outcome(whole("exited 7")), "failed 7");
  expect_eq(outcome(whole("exited 199")), "failed 199");
  expect_eq(outcome(whole("exited 200")), "failed 199");
  expect_eq(outcome(whole("exited 255")), "failed 199");
  expect_eq(judge(whole("exited 255")).status, 255);
  expect_eq(outcome(whole("signal 9")), "failed 137");
  expect_eq(outcome(whole("unstarted 8")), "command-not-found 208");
}

static Evidence with(std::vector<Finding> findings)
{
  Evidence evidence = whole("exited 0");
  evidence.findings = std::move(findings);
  return evidence;
}

TEST(the_commands_status_is_told_whatever_else_went_wrong)
{
  Evidence evidence = whole("exited 3");
  evidence.output_error = "no space";
  expect_eq(outcome(evidence), "output-lost 209");
  expect_eq(judge(evidence).command.value(), 3);
  evidence.line_error = "frame 3 has a wrong checksum";
  expect(!judge(evidence).command);
  expect(!judge(whole("unstarted 8")).command && !judge({}).command);
}

TEST(what_the_kernel_says_beats_the_result)
{
  expect_eq(outcome(with({{Trouble::Panic, "Kernel panic - not syncing: x"}})), "panic 201");
  expect_eq(outcome(with({{Trouble::Oops, "x"}, {Trouble::Panic, "Fatal exception"}})),
            "splat 202");
  for (Trouble trouble : {Trouble::Bug, Trouble::Kasan, Trouble::Lockdep, Trouble::Lockup,
                          Trouble::RcuStall, Trouble::HungTask})
    expect_eq(outcome(with({{trouble, "x"}})), "splat 202");
  expect_eq(outcome(with({{Trouble::OutOfMemory, "x"}})), "out-of-memory 203");
  expect_eq(outcome(with({{Trouble::OutOfMemory, "x"}, {Trouble::Panic, "y"}})),
            "out-of-memory 203");
}

TEST(a_warning_fails_only_when_asked)
{
  Evidence evidence = with({{Trouble::Warning, "WARNING: a"}, {Trouble::Warning, "WARNING: b"}});
  expect_eq(outcome(evidence), "passed 0");
  expect_eq(judge(evidence).remark, "WARNING on the console (2): WARNING: a");
  evidence.warn_fatal = true;
  expect_eq(outcome(evidence), "splat 202");
}

TEST(a_full_cgroup_is_only_told)
{
  Evidence evidence = with({{Trouble::CgroupOutOfMemory, "Memory cgroup out of memory"}});
  expect_eq(outcome(evidence), "passed 0");
  expect_has(judge(evidence).remark, "cgroup out of memory");
}

TEST(a_kernel_that_cannot_start_init_is_unfit)
{
  expect_eq(outcome(with({{Trouble::Panic, "Kernel panic - not syncing: VFS: Unable to mount root "
                                           "fs on unknown-block(0,0)"}})),
            "kernel-unfit 207");
  Evidence evidence;
  evidence.trouble = "the kernel lacks CONFIG_DEVTMPFS (devtmpfs on /dev: No such device)";
  expect_eq(outcome(evidence), "kernel-unfit 207");
  evidence.trouble = "cannot fork";
  expect_eq(outcome(evidence), "no-result 205");
}

TEST(a_time_out_tells_what_came_before_it)
{
  Evidence evidence;
  evidence.hello = true;
  evidence.timed_out = "the command was not done after 4 s";
  expect_eq(outcome(evidence), "time-out 204");
  evidence.findings = {{Trouble::HungTask, "INFO: task a:1 blocked"}};
  expect_eq(outcome(evidence), "splat 202");
  expect_has(judge(evidence).detail, "not done after 4 s");
}

TEST(figures_that_are_not_to_be_used_are_no_pass)
{
  Evidence evidence = whole("exited 0");
  evidence.model_error = "the model lost track in 1 of 3 windows";
  expect_eq(outcome(evidence), "no-result 205");
  expect_eq(judge(evidence).detail, evidence.model_error);
  evidence.result = "exited 3"; // which says more
  expect_eq(outcome(evidence), "failed 3");
}

TEST(our_own_troubles_come_first)
{
  Evidence evidence = with({{Trouble::Panic, "x"}});
  evidence.output_error = "cannot write /x: No space left on device";
  expect_eq(outcome(evidence), "output-lost 209");
  evidence.interrupted = 2;
  expect_eq(outcome(evidence), "interrupted 130");
}

TEST(qemu_that_dies_is_not_the_guest)
{
  Evidence evidence;
  evidence.qemu_error = "qemu-system-x86_64: signal 11 (Segmentation fault)";
  expect_eq(outcome(evidence), "qemu-error 206");
}

TEST(a_silent_guest_gets_a_hint)
{
  Evidence evidence;
  evidence.console_silent = true;
  expect_has(judge(evidence).detail, "CONFIG_SERIAL_8250_CONSOLE");
}

TEST(every_outcome_has_its_own_code)
{
  for (const OutcomeInfo &one : outcomes) {
    expect_eq(static_cast<int>(info(one.outcome).outcome), static_cast<int>(one.outcome));
    for (const OutcomeInfo &other : outcomes)
      expect(&one == &other || one.exit_code != other.exit_code || one.exit_code == -1, one.name);
  }
}

TEST(allowed_splats_are_told_and_pass)
{
  Evidence evidence = whole("exited 0");
  evidence.findings = {{Trouble::Bug, "BUG: known"}, {Trouble::HungTask, "INFO: task a blocked"}};
  evidence.allowed = {"^BUG: kno", "blocked$"};
  expect_eq(outcome(evidence), "passed 0");
  expect_eq(judge(evidence).remark, "allowed (2): BUG: known");
  evidence.allowed = {"known"};
  expect_eq(outcome(evidence), "splat 202");
  evidence.findings = {{Trouble::Panic, "Kernel panic - not syncing: x"}};
  evidence.allowed = {"."};
  expect_eq(outcome(evidence), "panic 201");
}

// printk.time=0: anybody could have written it, so it makes nothing fail that is whole.
TEST(panic_without_a_stamp_counts_for_a_dead_guest)
{
  Evidence evidence;
  evidence.hello = true;
  evidence.bare_panic = "Kernel panic - not syncing: x";
  expect_eq(outcome(evidence), "panic 201");
  evidence = whole("exited 0");
  evidence.bare_panic = "Kernel panic - not syncing: x";
  expect_eq(outcome(evidence), "passed 0");
}
