// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A benchmark whose op is something that user space does: a call that is probed, a write, an atomic
// addition. A run is a loop of ops in the producer's own thread between two readings of
// CLOCK_MONOTONIC. What an attached program counts is compared with what was done.
#pragma once

#include <span>

#include "progs/bench_hits.h"
#include "tools/bench/bench.h"

namespace bench
{

class UserLoopBench : public Bench {
public:
  // Throws when fewer ops were counted than done.
  Counts run(unsigned producer, uint32_t nr_ops) override;
  std::optional<Counts> run_base(unsigned producer, uint32_t nr_ops) override;
  std::optional<Counts> run_base_on(unsigned producer, uint32_t nr_ops) override
  {
    return run_base(producer, nr_ops);
  }
  std::string bytecode() const override { return x_bytecode; }
  void set_inject_q20(uint64_t q20) override { x_inject_q20 = q20; }
  InjectionCost measure_injection() override;

protected:
  // nr_ops ops of this producer, nothing else.
  virtual void loop(unsigned producer, uint32_t nr_ops) = 0;
  // The same without what is measured, between the other two, which are not timed: they detach and
  // attach again, where only that makes a base. false: there is none.
  virtual bool begin_base() { return false; }
  virtual void base_loop(unsigned producer, uint32_t nr_ops) { loop(producer, nr_ops); }
  virtual void end_base() {}
  // Ops that were counted on the producer's CPU so far; nullopt where nothing counts.
  virtual std::optional<uint64_t> counted(unsigned) { return std::nullopt; }

  std::string x_bytecode; // the kernel's tag of the program that ops run, if there is one

private:
  uint64_t x_inject_q20 = 0;
};

// What was counted on the CPU that this thread runs on; it must be pinned.
uint64_t hits_here(std::span<const bench_hits> hits);

// Throws when an attached program ran less often than there were ops that trigger it.
void require_runs(uint64_t runs, uint64_t ops);

} // namespace bench
