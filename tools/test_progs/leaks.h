// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a test may leave behind: the state of this process and of the machine, as a list that is
// compared before and after. What can be kept from the machine at all is: mounts and pins.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace test
{

// What: "fd 5", "mount /tmp/x", "CPU affinity"; and what it is: "anon_inode:bpf-map", "0-1".
using Snapshot = std::map<std::string, std::string>;

// own: fds, threads, child processes, CPU affinity, network namespace, cgroup.
Snapshot own_state();
// Mounts and pinned BPF objects, as this process sees them: a worker has its own of both.
Snapshot mount_state();
// The machine's: cgroup directories, sysctls of BPF. Only means something while no other test runs.
Snapshot machine_state();
// Gives this process, where it may, mounts and an empty bpffs of its own: what a test mounts or
// pins ends with it. Returns whether it did.
bool isolate_mounts();

// One line for each thing that came, went or changed.
std::vector<std::string> differences(const Snapshot &before, const Snapshot &after);

// Takes the state on construction and compares with it later.
class LeakCheck {
public:
  // mounts: whether isolate_mounts() did. machine: whether no other test runs.
  LeakCheck(bool mounts, bool machine);
  // What is different now, and stays so for a moment: the kernel finishes some things late.
  std::vector<std::string> leaks() const;

private:
  Snapshot take() const;
  std::vector<std::string> compare() const;

  bool x_machine;
  Snapshot x_before;
  std::string x_namespace;
  Snapshot x_mounts_before;
};

} // namespace test
