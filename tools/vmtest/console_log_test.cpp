// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The console texts are from guests that vmtest booted (Debian's 6.1, 6.12 and 7.2) and that did
// what each says; those of KASAN and lockdep follow the form of the kernel's reports and are not
// from a guest.
#include "tools/vmtest/console_log.h"

#include <vector>

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace vmtest;

static std::string found(const std::string &console)
{
  ConsoleLog log;
  log.push(console);
  log.finish();
  std::string text;
  for (const Finding &finding : log.findings())
    text += fmt::format("{}|", name(finding.trouble));
  return text;
}

static std::string found_in_line(std::string_view line)
{
  auto finding = scan_line(line);
  return finding ? fmt::format("{}: {}", name(finding->trouble), finding->line) : "";
}

TEST(panic_is_found)
{
  expect_eq(found(R"([    2.702617] sysrq: Trigger a crash
[    2.705106] Kernel panic - not syncing: sysrq triggered crash
[    2.705788] CPU: 0 UID: 0 PID: 122 Comm: sh Not tainted 6.12.95+deb12-cloud-amd64 #1  Debian 6.12.95-1~bpo12+1
[    2.707883] Call Trace:
[    2.712371]  panic+0x344/0x3a0
)"),
            "panic|");
}

TEST(null_pointer_is_an_oops_and_then_a_panic)
{
  expect_eq(found(R"([    1.117477] splat: loading out-of-tree module taints kernel.
[    1.122431] BUG: kernel NULL pointer dereference, address: 0000000000000008
[    1.122607] #PF: supervisor write access in kernel mode
[    1.122670] #PF: error_code(0x0002) - not-present page
[    1.122872] Oops: 0002 [#1] PREEMPT SMP NOPTI
[    1.127006] ---[ end trace 0000000000000000 ]---
[    1.129200] Kernel panic - not syncing: Fatal exception
)"),
            "oops|oops|panic|");
}

TEST(faults_are_oopses)
{
  expect_eq(found_in_line("[    2.528060] traps: PANIC: double fault, error_code: 0x0"),
            "oops: traps: PANIC: double fault, error_code: 0x0");
  expect_eq(found_in_line("[    2.529031] double fault: 0000 [#1] PREEMPT SMP NOPTI"),
            "oops: double fault: 0000 [#1] PREEMPT SMP NOPTI");
}

TEST(bugs_are_found)
{
  expect_eq(found(R"([    1.665830] ------------[ cut here ]------------
[    1.666196] kernel BUG at mm/slub.c:419!
[    1.666583] invalid opcode: 0000 [#1] PREEMPT SMP NOPTI
)"),
            "BUG|oops|");
  expect_eq(found_in_line("[    1.139673] BUG: scheduling while atomic: ins/80/0x00000002"),
            "BUG: BUG: scheduling while atomic: ins/80/0x00000002");
}

TEST(warning_is_found_by_its_line_not_by_its_text)
{
  expect_eq(found(R"([    1.176676] ------------[ cut here ]------------
[    1.176781] splat on purpose 3
[    1.177007] WARNING: CPU: 0 PID: 80 at splat.c:10 init+0x260/0x37b [splat]
[    1.177263] Modules linked in: splat(OE+)
)"),
            "WARNING|");
}

TEST(stalls_are_found)
{
  expect_eq(
      found_in_line("[    7.840625] watchdog: BUG: soft lockup - CPU#0 stuck for 5s! [ins:80]"),
      "lockup: watchdog: BUG: soft lockup - CPU#0 stuck for 5s! [ins:80]");
  expect_eq(found_in_line("[   10.608493] rcu: INFO: rcu_preempt self-detected stall on CPU"),
            "RCU stall: rcu: INFO: rcu_preempt self-detected stall on CPU");
  expect_eq(found_in_line("[    7.237033] INFO: task hungtask:81 blocked for more than 2 seconds."),
            "hung task: INFO: task hungtask:81 blocked for more than 2 seconds.");
}

TEST(out_of_memory_of_the_machine_and_of_a_cgroup_differ)
{
  expect_eq(found("[    6.304158] Out of memory: Killed process 121 (tail) total-vm:189056kB, "
                  "anon-rss:186624kB, file-rss:0kB\n"),
            "out of memory|");
  expect_eq(found("[    4.218636] Memory cgroup out of memory: Killed process 81 (tail) "
                  "total-vm:53360kB, anon-rss:50904kB\n"),
            "cgroup out of memory|");
}

// What a quiet boot says, and what programs may do in passing.
TEST(harmless_lines_are_no_findings)
{
  expect_eq(found(R"([    0.024000] tsc: Unable to calibrate against PIT
[    0.422047] APIC calibration not consistent with PM-Timer: 97ms instead of 100ms
[    0.672772] acpi PNP0A03:00: fail to add MMCONFIG information, can't access extended PCI configuration space under this bridge.
[    2.091718] amd_pstate: the _CPC object is not present in SBIOS or ACPI disabled
[   12.568289] clocksource: Long readout interval, skipping watchdog check: cs_nsec: 6718268073 wd_nsec: 1294921920
[    4.208703] tail invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
[    5.000001] traps: crash[98] general protection fault ip:401136 sp:7ffe error:0 in crash[401000+1000]
[    5.000002] crash[99]: segfault at 0 ip 0000000000401136 sp 00007ffe in crash[401000+1000]
)"),
            "");
}

TEST(only_the_kernel_is_believed)
{
  for (const char *line : {"Kernel panic - not syncing: says a program", "BUG: a program",
                           "[x] BUG: a program", "[ 1.5] BUG: too few digits"})
    expect_eq(found_in_line(line), "");
}

TEST(a_program_without_a_newline_hides_nothing)
{
  expect_eq(found_in_line("[ok] progress 50%[    1.139673] BUG: scheduling while atomic: a/80/0x2"),
            "BUG: BUG: scheduling while atomic: a/80/0x2");
}

// CONFIG_PRINTK_CALLER
TEST(lines_with_a_caller_are_understood)
{
  expect_eq(found_in_line("[    1.139673][   T80] BUG: scheduling while atomic: ins/80/0x00000002"),
            "BUG: BUG: scheduling while atomic: ins/80/0x00000002");
  expect_eq(found_in_line("[    1.139673] [    C0] BUG: scheduling while atomic: ins/80/0x2"),
            "BUG: BUG: scheduling while atomic: ins/80/0x2");
}

TEST(lines_come_in_any_pieces)
{
  std::string console = "[    1.000000] one\r\n[    2.705106] Kernel panic - not syncing: x\r\n";
  for (size_t piece : {1, 3, 7, 100}) {
    ConsoleLog log;
    for (size_t at = 0; at < console.size(); at += piece)
      log.push(std::string_view(console).substr(at, piece));
    expect_eq(log.findings().size(), 1u);
    expect_eq(log.findings()[0].line, "Kernel panic - not syncing: x");
    expect_eq(log.take_new().size(), 2u);
  }
}

TEST(excerpt_begins_before_the_first_trouble)
{
  ConsoleLog log;
  for (int i = 0; i < 300; i++)
    log.push(fmt::format("[    1.{:06}] line {}\n", i, i));
  expect_eq(log.excerpt(5).back(), "[    1.000299] line 299");
  expect_eq(log.excerpt(5).size(), 5u);
  log.push("[    2.705106] Kernel panic - not syncing: x\n");
  for (int i = 0; i < 300; i++)
    log.push("[    3.000000] after\n");
  expect_eq(log.excerpt(4)[0], "[    1.000298] line 298");
  expect_eq(log.excerpt(4)[2], "[    2.705106] Kernel panic - not syncing: x");
  log.mark();
  log.push("[    4.000000] backtrace\n");
  expect_eq(log.excerpt(60).size(), 1u);
}

TEST(a_flood_is_bounded_and_hides_no_later_kind)
{
  ConsoleLog log;
  for (int i = 0; i < 10000; i++)
    log.push("[    1.177007] WARNING: CPU: 0 PID: 80 at splat.c:10 init+0x260/0x37b [splat]\n");
  log.push("[    2.705106] Kernel panic - not syncing: x\n");
  expect(log.findings().size() < 100, fmt::format("{} findings", log.findings().size()));
  expect_eq(name(log.findings().back().trouble), std::string("panic"));
}

TEST(a_line_without_end_is_bounded)
{
  ConsoleLog log;
  std::string megabyte(1u << 20, 'x');
  for (int i = 0; i < 20; i++)
    log.push(megabyte);
  log.finish();
  size_t kept = 0;
  for (const std::string &line : log.excerpt(1000))
    kept += line.size();
  expect(kept < 2u << 20, fmt::format("{} bytes", kept));
}

TEST(a_terminal_is_not_driven_by_the_guest)
{
  ConsoleLog log;
  log.push("\33[2J\33]0;title\7[    1.000000] one\ttwo\r\n");
  expect_eq(log.excerpt(1)[0], "[2J]0;title[    1.000000] one two");
}

TEST(reports_of_other_checkers_are_found)
{
  for (auto [line, kind] : {
           std::pair{"unregister_netdevice: waiting for lo to become free. Usage count = 2",
                     "leak"},
           {"kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)", "leak"},
           {"INFO: trying to register non-static key.", "lockdep"},
           {"BUG: MAX_LOCKDEP_ENTRIES too low!", "lockdep"},
           {"turning off the locking correctness validator.", "lockdep"},
           {"rcu: rcu_preempt kthread starved for 2100 jiffies! g5 f0x0", "RCU stall"},
           {"rcu: INFO: rcu_sched detected stalls on CPUs/tasks:", "RCU stall"},
           {"watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [a:1]", "lockup"},
           {"INFO: task a:1 blocked in I/O wait for more than 122 seconds.", "hung task"},
           {"UBSAN: array-index-out-of-bounds in a.c:1:2", "BUG"},
       })
    expect_eq(found_in_line(std::string("[    1.000000] ") + line),
              std::string(kind) + ": " + line);
  expect_eq(found_in_line("[    1.0] kmemleak: Kernel memory leak detector initialized"), "");
}
