// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Hidden tests that end in every way a test can end. harness_test runs them by name and looks at
// what the runner made of it.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "tools/lib/memory_cgroup.h"
#include "tools/lib/text.h"
#include "tools/test_progs/test_progs.h"

HIDDEN_TEST(selftest_pass)
{
  SUBTEST(one) { CHECK(true); };
  SUBTEST(two) { CHECK_EQ(1 + 1, 2); };
}

HIDDEN_TEST(selftest_pass_too) { CHECK(true); }

TEST_REGISTER_(selftest_alone, true, true) { CHECK(true); }

HIDDEN_TEST(selftest_mixed)
{
  SUBTEST(good) { CHECK(true); };
  SUBTEST(bad)
  {
    CHECK_EQ(1, 2);
    REQUIRE_ERR(-ENOENT, -EINVAL);
    test::log("not reached");
  };
  SUBTEST(skipped) { test::skip("the moon is missing"); };
  SUBTEST_NAMED("odd: <name> & #more") { CHECK(true); };
}

HIDDEN_TEST(selftest_part_skipped)
{
  SUBTEST(good) { CHECK(true); };
  SUBTEST(skipped) { test::skip("the moon is missing"); };
}

HIDDEN_TEST(selftest_skip) { test::skip("the moon is missing"); }

HIDDEN_TEST(selftest_missing) { throw bpf::missing("the sun is missing"); }

HIDDEN_TEST(selftest_fail_then_skip)
{
  CHECK(false);
  test::skip("this hides no failure");
}

HIDDEN_TEST(selftest_fail_outside)
{
  SUBTEST(good) { CHECK(true); };
  CHECK_OK(-EPERM);
}

HIDDEN_TEST(selftest_foreign_exception)
{
  SUBTEST(throws) { throw 42; };
  SUBTEST(next) { CHECK(true); };
}

HIDDEN_TEST(selftest_nested)
{
  SUBTEST(outer)
  {
    SUBTEST(inner) { CHECK(true); };
  };
}

HIDDEN_TEST(selftest_segv)
{
  SUBTEST(before) { CHECK(true); };
  SUBTEST(crash)
  {
    printf("about to crash");
    raise(SIGSEGV);
  };
  SUBTEST(after) { CHECK(true); };
}

static volatile bool bottomless = true;

// Not a tail call, and no frame that a compiler may leave out.
static int go_down(int depth)
{
  volatile char frame[4096] = {};
  frame[depth % 4096] = static_cast<char>(depth);
  return bottomless ? go_down(depth + 1) + frame[depth % 4096] : 0;
}

HIDDEN_TEST(selftest_stack_overflow) { CHECK_EQ(go_down(0), 0); }

HIDDEN_TEST(selftest_abort) { abort(); }

HIDDEN_TEST(selftest_exit)
{
  SUBTEST(leaves) { exit(0); };
}

HIDDEN_TEST(selftest_fork_comes_back)
{
  pid_t child = fork();
  if (child == 0)
    return;
  siginfo_t ended;
  CHECK_OK(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT));
}

static void spin()
{
  volatile unsigned count = 0;
  for (;;)
    count = count + 1;
}

HIDDEN_TEST(selftest_loop)
{
  SUBTEST(before) { CHECK(true); };
  SUBTEST(spins) { spin(); };
}

HIDDEN_TEST(selftest_deaf_loop)
{
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  for (;;)
    pause();
}

HIDDEN_TEST(selftest_wait)
{
  printf("waiting as process %d\n", getpid());
  for (;;)
    pause();
}

HIDDEN_TEST(selftest_killed)
{
  SUBTEST(by_someone) { kill(getpid(), SIGKILL); };
}

static void limit_memory(const MemoryCgroup &group)
{
  bool v2 = group.kind() == "cgroup v2";
  std::ifstream own("/proc/self/cgroup");
  for (std::string line; std::getline(own, line);) {
    std::string path = line.substr(line.rfind(':') + 1);
    if (path.find("/bpfgate-") == std::string::npos)
      continue;
    std::ofstream file((v2 ? "/sys/fs/cgroup" + path + "/memory.max"
                           : "/sys/fs/cgroup/memory" + path + "/memory.limit_in_bytes"));
    file << (32 << 20) << std::flush;
    if (file)
      return;
  }
  test::skip("no memory cgroup whose limit can be set");
}

HIDDEN_TEST(selftest_out_of_memory)
{
  MemoryCgroup group;
  limit_memory(group);
  std::vector<std::vector<char>> hoard;
  for (int i = 0; i < 256; i++)
    hoard.emplace_back(1 << 20, 'x');
  CHECK_EQ(hoard.size(), 0u);
}

HIDDEN_TEST(selftest_flood)
{
  for (int i = 0; i < 50000; i++)
    printf("line %d of a flood that is sixty-four characters wide or more....\n", i);
  CHECK(false);
}

HIDDEN_TEST(selftest_no_newline)
{
  SUBTEST(bad)
  {
    printf("no newline at the end");
    CHECK(false);
    fprintf(stderr, "none here either");
  };
}

HIDDEN_TEST(selftest_false_results)
{
  printf("ok 1 made_up\nnot ok 2 made_up\n1..7\nBail out! made up\n\x01\xff\xfe <&>\n");
  CHECK(false);
}

HIDDEN_TEST(selftest_seed)
{
  printf("first %lu\n", static_cast<unsigned long>(test::seed()));
  CHECK(false);
}
