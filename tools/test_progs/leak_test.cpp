// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Every kind of thing that a test can leave behind is found: by comparing snapshots, and by running
// the hidden tests that leave one each.
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

#include "tools/lib/temporary_directory.h"
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
    if (line.starts_with("made ")) {
      umount2(line.substr(5).c_str(), MNT_DETACH);
      rmdir(line.substr(5).c_str());
    }
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
  expect_leak("selftest_leak_cgroup", "cgroup was '");
  expect_leak("selftest_leak_cgroup_directory", "cgroup directory ");
}

// In a mount namespace of its own, so that nothing stays even if this test is killed.
static int check_mounts(const char *bpffs)
{
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
      mount("none", bpffs, "bpf", 0, nullptr))
    return 77;
  try {
    setenv("SELFTEST_BPFFS", bpffs, 1);
    expect_leak("selftest_leak_mount", "mount /tmp/");
    expect_leak("selftest_leak_pin", fmt::format("pin {}/left is left", bpffs));
  } catch (const std::exception &failure) {
    fmt::print(stderr, "{}\n", failure.what());
    return 1;
  }
  return 0;
}

TEST(leaks_of_mounts_and_pins)
{
  if (geteuid() != 0)
    return;
  TemporaryDirectory scratch;
  std::string bpffs = scratch / "bpffs";
  mkdir(bpffs.c_str(), 0700);
  pid_t child = fork();
  if (child == 0)
    _exit(unshare(CLONE_NEWNS) ? 77 : check_mounts(bpffs.c_str()));
  int status = 0;
  waitpid(child, &status, 0);
  expect(status == 0 || WEXITSTATUS(status) == 77, "see above");
}
