// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Reads the state of the process and of the machine out of /proc, bpffs and the cgroup trees.
//
// BPF objects are not compared by their ids: other programs make some at any time. What can keep an
// object of this process alive is one of its fds, or a pin: both are compared.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "tools/lib/text.h"
#include "tools/test_progs/leaks.h"
#include "tools/test_progs/processes.h"

namespace test
{

namespace fs = std::filesystem;

static std::string link_target(const fs::path &path)
{
  std::error_code gone;
  return fs::read_symlink(path, gone).string();
}

// "map_id: 12" and the like of a BPF object's fdinfo, to tell which one was left.
static std::string bpf_id(const std::string &fd)
{
  std::istringstream info(read_if_there("/proc/self/fdinfo/" + fd).value_or(""));
  std::string ids;
  for (std::string line; std::getline(info, line);)
    for (const char *key : {"map_id:", "prog_id:", "link_id:", "btf_id:"})
      if (line.starts_with(key))
        ids += " " + line;
  return ids;
}

static void add_fds(Snapshot &state)
{
  for (const std::string &fd : names_if_there("/proc/self/fd")) {
    std::string target = link_target("/proc/self/fd/" + fd);
    // What the listing itself had open is closed by now.
    if (!target.empty())
      state["fd " + fd] = target + bpf_id(fd);
  }
}

static void add_processes(Snapshot &state)
{
  for (const std::string &thread : names_if_there("/proc/self/task"))
    state["thread " + thread] = "of the test";
  for (pid_t child : children_of_this_process())
    state[fmt::format("child process {}", child)] =
        read_small_file(fmt::format("/proc/{}/comm", child)).value_or("");
}

static std::string affinity()
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return "";
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &set))
      cpus.push_back(cpu);
  return fmt::format("{}", fmt::join(cpus, ","));
}

namespace
{

struct Mount {
  std::string directory, type;
};

} // namespace

// mountinfo: id, parent, device, root, directory, options, optional fields, "-", type.
static std::vector<Mount> mounts()
{
  std::vector<Mount> list;
  std::istringstream file(read_if_there("/proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Mount mount;
    std::string word;
    words >> word >> word >> word >> word >> mount.directory;
    while (words >> word && word != "-")
      ;
    words >> mount.type;
    list.push_back(mount);
  }
  return list;
}

static void add_pins(Snapshot &state)
{
  std::error_code ignored;
  for (auto entry = fs::recursive_directory_iterator("/sys/fs/bpf", ignored);
       entry != fs::recursive_directory_iterator(); entry.increment(ignored))
    state["pin " + entry->path().string()] = "in bpffs";
}

Snapshot mount_state()
{
  Snapshot state;
  for (const Mount &mount : mounts())
    state["mount " + mount.directory] = mount.type;
  add_pins(state);
  return state;
}

Snapshot own_state()
{
  Snapshot state;
  add_fds(state);
  add_processes(state);
  state["CPU affinity"] = affinity();
  state["network namespace"] = link_target("/proc/self/ns/net");
  state["cgroup"] = read_small_file("/proc/self/cgroup").value_or("");
  return state;
}

// A MemoryCgroup of another process, which makes and removes it when it likes.
static bool belongs_to_another(const std::string &name)
{
  const std::string prefix = "bpfgate-";
  return name.starts_with(prefix) && !name.starts_with(fmt::format("{}{}-", prefix, getpid()));
}

static bool is_leaf(const fs::path &directory)
{
  std::error_code ignored;
  for (const std::string &name : names_if_there(directory))
    if (fs::is_directory(directory / name, ignored))
      return false;
  return true;
}

// The leaves below the root and below the cgroup of this process that nobody is in.
static void add_cgroups(Snapshot &state, const Mount &hierarchy)
{
  std::vector<std::string> homes{hierarchy.directory};
  std::istringstream own(read_if_there("/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(own, line);)
    homes.push_back(hierarchy.directory + line.substr(line.rfind(':') + 1));
  for (const std::string &home : homes) {
    std::error_code ignored;
    for (const std::string &name : names_if_there(home)) {
      const fs::path path = fs::path(home) / name;
      if (fs::is_directory(path, ignored) && is_leaf(path) && !belongs_to_another(name) &&
          read_small_file(path / "cgroup.procs").value_or("x").empty())
        state["cgroup directory " + path.string()] = "empty";
    }
  }
}

Snapshot machine_state()
{
  Snapshot state;
  for (const Mount &mount : mounts())
    if (mount.type == "cgroup" || mount.type == "cgroup2")
      add_cgroups(state, mount);
  for (const char *name : {"kernel/bpf_stats_enabled", "kernel/unprivileged_bpf_disabled",
                           "net/core/bpf_jit_enable", "net/core/bpf_jit_harden"})
    state[std::string("sysctl ") + name] =
        read_small_file(std::string("/proc/sys/") + name).value_or("");
  return state;
}

} // namespace test
