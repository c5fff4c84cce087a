// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// One map worked on from several threads of user space and from BPF at once. Every success is
// counted by key, so that afterwards the counts and the content must agree.
#pragma once

#include "progs/map_stress.h"

#include <map_stress.skel.h>

#include <atomic>
#include <functional>

#include "prog_tests/map_ops_bpf.h"
#include "prog_tests/model.h"

namespace map_test
{

// Runs all bodies at once, each on a thread of its own, and waits for them. CHECK_* belong behind
// it: a body counts what it finds. An exception of a body is thrown again here.
void run_threads(const std::vector<std::function<void()>> &bodies);

class Stress {
public:
  // spec: key and value sizes are set here. Throws bpf::error.
  explicit Stress(bpf::MapSpec spec);

  // Bodies for run_threads. nr_ops operations on keys first to first + nr - 1.
  std::function<void()> mixed_by_syscall(uint32_t nr_ops, uint32_t nr_keys, uint32_t seed);
  std::function<void()> mixed_by_bpf(uint32_t nr_ops, uint32_t nr_keys, uint32_t seed);
  // Inserts every key of a range once.
  std::function<void()> insert_by_syscall(uint32_t first, uint32_t nr);
  std::function<void()> insert_by_bpf(uint32_t first, uint32_t nr);
  // Erases every key of a range once.
  std::function<void()> erase_by_bpf(uint32_t first, uint32_t nr);
  // nr_ops overwrites, keys in turn.
  std::function<void()> overwrite_by_bpf(uint32_t nr_ops, uint32_t nr_keys);
  // nr_ops additions of 1 through the pointer, keys in turn.
  std::function<void()> add_by_bpf(uint32_t nr_ops, uint32_t nr_keys);
  // Walks by next_key, or by batches of `step`, so many steps.
  std::function<void()> iterate(uint32_t nr_steps);
  std::function<void()> read_batches(uint32_t nr_batches, uint32_t step);

  int insert(uint32_t number, uint64_t flags = BPF_NOEXIST);
  int erase(uint32_t number);
  // absent, or the value.
  uint64_t value(uint32_t number);
  // How many entries iteration meets.
  uint32_t size();

  // CHECKs that inserted - erased is what the map holds, key by key, and that nothing unexpected
  // came back. Returns the number of entries.
  uint32_t check_counts(uint32_t nr_keys);
  const stress_counts &counts() const { return x_skel->bss->counts; }
  int fd() const { return bpf_map__fd(x_skel->maps.map); }

private:
  void note(int err);
  int run(bpf_program *program, const stress_args &args);
  stress_counts &shared() { return x_skel->bss->counts; }

  bpf::Skeleton<::map_stress> x_skel;
  uint64_t x_foreign_in_batch = 0; // pairs of a batch that do not belong together
};

} // namespace map_test
