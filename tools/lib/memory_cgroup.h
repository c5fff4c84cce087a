// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A memory cgroup of our own, v2 or v1, whichever hierarchy has the controller, to see what a
// map costs. The kernel charges a map to the cgroup of the process that creates it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

class MemoryCgroup {
public:
  // Creates a child cgroup and moves this process into it, until leave(). Throws bpf::missing with
  // the reason where no hierarchy has a memory controller that we may use. The cgroup goes away
  // with the object, and also when this process is killed: a small child process waits for that.
  // Where v2 handed no memory controller down, the last such cgroup leaves it like that.
  MemoryCgroup();
  ~MemoryCgroup();
  MemoryCgroup(const MemoryCgroup &) = delete;
  MemoryCgroup &operator=(const MemoryCgroup &) = delete;

  // Moves this process back. What it created meanwhile stays charged here, also what a map
  // allocates later; the process's own memory is not.
  void leave();

  // Bytes charged now. Throws std::system_error when the file cannot be read.
  uint64_t usage() const;
  // Most bytes charged since creation; nullopt on kernels without it (v2 before 5.19).
  std::optional<uint64_t> peak() const;
  // "cgroup v2" or "cgroup v1".
  const std::string &kind() const { return x_kind; }

private:
  struct Reaper;
  std::string x_kind, x_dir, x_home, x_usage_file, x_peak_file;
  std::unique_ptr<Reaper> x_reaper;
};
