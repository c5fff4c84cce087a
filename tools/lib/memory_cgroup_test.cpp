// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A real memory cgroup: a map's charges appear in it, and it goes away with its owner, also when
// the owner is killed. Skipped, with the probe's reason, where no memory cgroup can be had.
#include "tools/lib/memory_cgroup.h"

#include <bpf/bpf.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tools/lib/bpf_error.h"
#include "tools/lib/fd.h"
#include "tools/lib/text.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
namespace fs = std::filesystem;

constexpr uint64_t mib = 1 << 20;

static std::unique_ptr<MemoryCgroup> make_cgroup()
{
  try {
    return std::make_unique<MemoryCgroup>();
  } catch (const bpf::missing &missing) {
    throw Skip(missing.what());
  }
}

// Cgroups that a process made, wherever they are mounted.
static int count_cgroups(pid_t owner)
{
  int count = 0;
  std::string prefix = fmt::format("bpfgate-{}-", owner);
  std::ifstream mounts("/proc/self/mounts");
  for (std::string device, dir, type, rest; mounts >> device >> dir >> type;) {
    std::getline(mounts, rest);
    if (type != "cgroup" && type != "cgroup2")
      continue;
    std::error_code error;
    for (fs::recursive_directory_iterator at(dir, error), end; at != end; at.increment(error))
      count += at->path().filename().string().compare(0, prefix.size(), prefix) == 0;
  }
  return count;
}

// An array map of so many bytes, charged at once.
static Fd make_map(uint64_t bytes)
{
  return Fd(
      bpf::check(bpf_map_create(BPF_MAP_TYPE_ARRAY, "cgroup_test", 4, 4096, bytes / 4096, nullptr),
                 "create map", "cgroup_test"));
}

TEST(cgroup_is_charged_for_a_map)
{
  auto cgroup = make_cgroup();
  expect(cgroup->kind() == "cgroup v1" || cgroup->kind() == "cgroup v2");
  uint64_t before = cgroup->usage();
  Fd map = make_map(16 * mib);
  cgroup->leave();
  uint64_t with = cgroup->usage();
  expect(with >= before + 15 * mib && with <= before + 20 * mib,
         fmt::format("{} bytes before the map of 16 MiB, {} with it", before, with));
  if (auto peak = cgroup->peak())
    expect(*peak >= with, "the peak is below the use");
  Fd outside = make_map(16 * mib);
  expect(cgroup->usage() < with + 8 * mib, "charged for a map that was made after leave()");
}

TEST(cgroup_is_left_and_removed_at_the_end)
{
  auto own = read_small_file("/proc/self/cgroup");
  {
    auto cgroup = make_cgroup();
    expect_eq(count_cgroups(getpid()), 1);
    expect(read_small_file("/proc/self/cgroup") != own, "not moved");
    auto second = make_cgroup();
    expect_eq(count_cgroups(getpid()), 2);
  }
  expect_eq(count_cgroups(getpid()), 0);
  expect(read_small_file("/proc/self/cgroup") == own, "not moved back");
  expect(waitpid(-1, nullptr, WNOHANG) < 0, "a child was left over");
}

// Also where two at once had the controller borrowed, whoever ends first.
TEST(cgroup_gives_the_controller_of_v2_back)
{
  std::string control = "/sys/fs/cgroup/cgroup.subtree_control";
  auto before = read_small_file(control);
  if (!before || make_cgroup()->kind() != "cgroup v2")
    throw Skip("the memory controller is not that of a cgroup v2 at /sys/fs/cgroup");
  expect(read_small_file(control) == before);
  auto first = make_cgroup(), second = make_cgroup();
  first.reset();
  expect_eq(read_small_file(control)->find("memory") != std::string::npos, true);
  second.reset();
  expect(read_small_file(control) == before);
}

TEST(cgroup_goes_when_its_owner_is_killed)
{
  make_cgroup();
  int ready[2];
  expect(pipe(ready) == 0);
  pid_t owner = fork();
  if (owner == 0) {
    MemoryCgroup cgroup;
    Fd map = make_map(mib);
    if (write(ready[1], "x", 1) == 1)
      pause();
    _exit(1);
  }
  close(ready[1]);
  Fd reader(ready[0]);
  char byte;
  bool started = read(reader.get(), &byte, 1) == 1;
  int during = count_cgroups(owner);
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  expect(started, "the owner did not come to its cgroup");
  expect_eq(during, 1);
  // Not a limit on speed: only so that a cgroup that stays ends the test.
  for (int i = 0; i < 3000 && count_cgroups(owner); i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  expect_eq(count_cgroups(owner), 0);
}
