// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The comparison of two snapshots, and the waiting for what the kernel finishes late.
#include "tools/test_progs/leaks.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

namespace test
{

std::vector<std::string> differences(const Snapshot &before, const Snapshot &after)
{
  std::vector<std::string> lines;
  for (const auto &[what, value] : after) {
    auto old = before.find(what);
    if (old == before.end())
      lines.push_back(fmt::format("{} is left: {}", what, value));
    else if (old->second != value)
      lines.push_back(fmt::format("{} was '{}' and is now '{}'", what, old->second, value));
  }
  for (const auto &[what, value] : before)
    if (!after.contains(what))
      lines.push_back(fmt::format("{} is gone: {}", what, value));
  return lines;
}

bool isolate_mounts()
{
  if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0)
    return false;
  return mount("none", "/sys/fs/bpf", "bpf", 0, nullptr) == 0;
}

static std::string mount_namespace()
{
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/ns/mnt", none);
}

LeakCheck::LeakCheck(bool mounts, bool machine)
    : x_machine(machine), x_before(take()), x_namespace(mounts ? mount_namespace() : "none")
{
  if (mounts)
    x_mounts_before = mount_state();
}

Snapshot LeakCheck::take() const
{
  Snapshot state = own_state();
  if (x_machine)
    state.merge(machine_state());
  return state;
}

std::vector<std::string> LeakCheck::compare() const
{
  std::vector<std::string> lines = differences(x_before, take());
  // In one more namespace, which the test made for itself, it may mount what it likes.
  if (mount_namespace() == x_namespace) {
    std::vector<std::string> mounts = differences(x_mounts_before, mount_state());
    lines.insert(lines.end(), mounts.begin(), mounts.end());
  }
  return lines;
}

std::vector<std::string> LeakCheck::leaks() const
{
  constexpr int tries = 20;
  std::vector<std::string> lines = compare();
  for (int i = 0; i < tries && !lines.empty(); i++) {
    usleep(20000);
    lines = compare();
  }
  return lines;
}

} // namespace test
