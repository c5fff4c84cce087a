// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A benchmark whose ops loop inside the kernel: one BPF_PROG_TEST_RUN of an XDP or raw tracepoint
// program that was written with progs/bench_loop.bpf.h does thousands of ops and takes the time
// itself, so neither a system call nor a tracepoint is part of the figure.
#pragma once

#include <bpf/libbpf.h>

#include <array>

#include "progs/bench_slot.h"
#include "tools/bench/bench.h"
#include "tools/lib/skeleton.h"

namespace bench
{

class TestRunBench : public Bench {
public:
  Counts run(unsigned producer, uint32_t nr_ops) override;
  std::optional<Counts> run_base(unsigned producer, uint32_t nr_ops) override;
  std::optional<Counts> run_base_on(unsigned producer, uint32_t nr_ops) override;
  bool bracket(ModelPage &model) override;
  void seed(uint64_t seed) override;
  std::string bytecode() const override;
  void set_inject_q20(uint64_t q20) override { x_inject_q20 = q20; }
  std::string base_bytecode() const override;
  InjectionCost measure_injection() override;

protected:
  // Tells which loaded programs to run. base: the same loop and keys without the op, or null.
  // slots: bench_slots of the skeleton's bss. nr_keys: keys in turn, so that producers start apart.
  void use(const bpf_program *prog, const bpf_program *base, bench_slot *slots, unsigned producers,
           uint64_t nr_keys);
  // Called when the program says BENCH_EXHAUSTED; must make new ops possible. Not timed.
  virtual void refill();

  // One test run of prog; spins: so many more in the timed region. Throws bpf::error when it does
  // not run or an op went wrong.
  bench_verdict run_once(const bpf_program *prog, unsigned producer, uint32_t nr_ops,
                         uint64_t inject_q20, Counts &counts, uint64_t spins = 0);

  uint64_t inject_q20() const { return x_inject_q20; }
  bench_slot &slot(unsigned producer) { return x_slots[producer]; }

private:
  double fastest_ns(uint64_t spins);
  Counts run_all(const bpf_program *prog, unsigned producer, uint32_t nr_ops, uint64_t inject_q20,
                 bool refillable);

  const bpf_program *x_prog = nullptr;
  const bpf_program *x_base = nullptr;
  bench_slot *x_slots = nullptr;
  unsigned x_producers = 1;
  uint64_t x_nr_keys = 1;
  uint64_t x_inject_q20 = 0;
};

// The kernel's tag of a loaded program, 16 hexadecimal digits. Throws bpf::error.
std::string program_tag(const bpf_program *prog);

// Where the clock counts instructions: gives a hash map or bloom filter the seed 0 instead of a
// random one, before it is loaded, so that the same keys meet the same buckets. Elsewhere nothing.
// Throws bpf::error.
void fix_hash_seed(bpf_map *map);

// Makes a resizable hash of a hash map, before it is loaded. It takes no fix_hash_seed() and cannot
// be preallocated. Throws bpf::missing where the kernel has none, and bpf::error.
void make_resizable(bpf_map *map);

// Writes element i (a key or a value) to the given place.
using ElementWriter = std::function<void(uint64_t, uint8_t *)>;

// Puts nr elements into a map by batches of at most 64 Ki. Keys must differ: a batch cannot
// ask for BPF_NOEXIST. Throws bpf::error.
void fill_map(int map_fd, const char *name, uint64_t nr, uint32_t key_size, uint32_t value_size,
              const ElementWriter &key, const ElementWriter &value);

// Takes nr elements out of a map by batches. Throws bpf::error when one is not there.
void empty_map(int map_fd, const char *name, uint64_t nr, uint32_t key_size,
               const ElementWriter &key);

} // namespace bench
