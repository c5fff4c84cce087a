// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Every kind of thing that a test can leave behind is found: by comparing snapshots, and by running
// the hidden tests that leave one each.
#include <unistd.h>

#include <sstream>

#include "tools/lib/atomic_file.h"
#include "tools/lib/unit_test.h"
#include "tools/test_progs/leaks.h"
#include "tools/test_progs/run_program.h"

using test::differences;
using unit_test::expect;
using unit_test::expect_eq;
using unit_test::expect_has;

TEST(nothing_changed) { expect(differences({{"fd 1", "pipe"}}, {{"fd 1", "pipe"}}).empty()); }

TEST(came_went_and_changed)
{
  auto lines = differences({{"a", "1"}, {"b", "2"}}, {{"b", "3"}, {"c", "4"}});
  expect_eq(fmt::format("{}", fmt::join(lines, "; ")),
            "b was '2' and is now '3'; c is left: 4; a is gone: 1");
}

// What the hidden tests say they made outlives them on purpose.
static void remove_what_was_made(const std::string &out)
{
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("made "))
      rmdir(line.substr(5).c_str());
}

static void expect_leak(const std::string &name, const std::string &text)
{
  Ended ended = run_test_progs({"-a", name + ",selftest_pass"});
  remove_what_was_made(ended.out);
  if (ended.out.find(name + ":SKIP:") != std::string::npos)
    return; // and says why
  expect_eq(ended.status, 1);
  expect_has(ended.out, name + ":FAIL:leak " + text);
  expect_has(ended.out, "selftest_pass:OK");
}

TEST(leaks_of_the_process)
{
  expect_leak("selftest_leak_fd", "fd ");
  expect_leak("selftest_leak_affinity", "CPU affinity was '");
  expect_leak("selftest_leak_thread", "thread ");
  expect_leak("selftest_leak_child", "child process ");
  expect_leak("selftest_leak_orphan", "child process ");
}

TEST(leaks_that_need_root)
{
  if (geteuid() != 0)
    return;
  expect_leak("selftest_leak_map", "fd ");
  expect_leak("selftest_leak_netns", "network namespace was '");
  expect_leak("selftest_leak_mount", "mount /mnt is left: tmpfs");
  expect_leak("selftest_leak_pin", "pin /sys/fs/bpf/left is left");
  expect_leak("selftest_leak_cgroup", "cgroup was '");
  expect_leak("selftest_leak_cgroup_directory", "cgroup directory ");
}

static size_t count_mounts(const std::string &directory)
{
  Ended mounts{0, read_file("/proc/self/mountinfo"), ""};
  return mounts.count(" " + directory + " ");
}

TEST(mounts_and_pins_do_not_reach_the_machine)
{
  if (geteuid() != 0)
    return;
  size_t before = count_mounts("/mnt");
  run_test_progs({"-a", "selftest_leak_mount,selftest_leak_pin"});
  expect_eq(count_mounts("/mnt"), before);
  expect(access("/sys/fs/bpf/left", F_OK) != 0, "pins");
}

TEST(a_private_mount_is_no_leak)
{
  if (geteuid() == 0)
    expect_eq(run_test_progs({"-a", "selftest_private_mount"}).status, 0);
}
