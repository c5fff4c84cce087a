// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Hidden tests that each leave one thing behind. harness_test runs them and removes what they say
// they "made".
#include <bpf/bpf.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "tools/test_progs/test_progs.h"

HIDDEN_TEST(selftest_leak_fd) { CHECK_OK(open("/dev/null", O_RDONLY)); }

HIDDEN_TEST(selftest_leak_map)
{
  CHECK_OK(bpf_map_create(BPF_MAP_TYPE_ARRAY, "left", 4, 4, 1, nullptr));
}

HIDDEN_TEST(selftest_leak_affinity)
{
  cpu_set_t set;
  REQUIRE_OK(sched_getaffinity(0, sizeof(set), &set));
  if (CPU_COUNT(&set) < 2)
    test::skip("only one CPU");
  int cpu = sched_getcpu();
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  CHECK_OK(sched_setaffinity(0, sizeof(set), &set));
}

HIDDEN_TEST(selftest_leak_thread)
{
  std::thread([] { pause(); }).detach();
}

static void sleep_for_a_minute()
{
  sleep(60);
  _exit(0);
}

HIDDEN_TEST(selftest_leak_child)
{
  if (fork() == 0)
    sleep_for_a_minute();
}

HIDDEN_TEST(selftest_leak_orphan)
{
  if (fork() == 0) {
    setsid();
    if (fork() == 0)
      sleep_for_a_minute();
    _exit(0);
  }
  usleep(100000);
}

// The child that a crash leaves behind in a session of its own must not outlive the run.
HIDDEN_TEST(selftest_leak_orphan_and_crash)
{
  int told[2];
  REQUIRE_OK(pipe(told));
  if (fork() == 0) {
    setsid();
    test::log(fmt::format("orphan {}", getpid()));
    (void)!write(told[1], "", 1);
    sleep_for_a_minute();
  }
  char byte;
  CHECK_EQ(read(told[0], &byte, 1), 1); // before that the crash would end it, too
  abort();
}

HIDDEN_TEST(selftest_leak_netns)
{
  if (unshare(CLONE_NEWNET) < 0)
    test::skip("no network namespaces");
}

HIDDEN_TEST(selftest_leak_mount) { CHECK_OK(mount("none", "/mnt", "tmpfs", 0, nullptr)); }

// A namespace of its own on top of the worker's: what is mounted there is nobody's business.
HIDDEN_TEST(selftest_private_mount)
{
  REQUIRE_OK(unshare(CLONE_NEWNS));
  CHECK_OK(mount("none", "/mnt", "tmpfs", 0, nullptr));
}

HIDDEN_TEST(selftest_leak_pin)
{
  int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pinned", 4, 4, 1, nullptr);
  CHECK_OK(bpf_obj_pin(map, "/sys/fs/bpf/left"));
  close(map);
}

static std::string cgroup_root()
{
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, directory, type;
    words >> device >> directory >> type;
    if (type == "cgroup2" && access(directory.c_str(), W_OK) == 0)
      return directory;
  }
  test::skip("no cgroup v2 that can be written");
}

static std::string make_cgroup()
{
  std::string directory = fmt::format("{}/bpfgate-{}-selftest", cgroup_root(), getpid());
  if (mkdir(directory.c_str(), 0755) < 0)
    test::skip("no cgroup can be made");
  test::log("made " + directory);
  return directory;
}

HIDDEN_TEST(selftest_leak_cgroup_directory) { make_cgroup(); }

HIDDEN_TEST(selftest_leak_cgroup)
{
  std::ofstream procs(make_cgroup() + "/cgroup.procs");
  procs << getpid() << std::flush;
  CHECK(procs.good());
}
