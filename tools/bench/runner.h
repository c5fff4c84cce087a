// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Runs one load of a benchmark: producers, each pinned to its CPU before it starts, and the clock.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tools/bench/bench.h"
#include "tools/lib/fd.h"

namespace bench
{

// SIGINT and SIGTERM as a file descriptor: blocked in every thread, so that nothing is interrupted
// half-way. Make one before any thread starts.
class Signals {
public:
  Signals();
  ~Signals();
  int fd() const { return x_fd.get(); }
  // The signal that has arrived, or 0. Remembered from then on.
  int pending();

private:
  Fd x_fd;
  int x_seen = 0;
};

// The producers of one load. Threads live as long as the pool and are always joined.
class Producers {
public:
  // cpus: one per producer. net: also run the base loop, alternately.
  Producers(Bench &bench, const Descriptor &descriptor, const std::vector<int> &cpus, bool net);
  ~Producers();

  // Every producer runs without pause until the pool is destroyed.
  void start_endless();
  // Every producer does nr_ops ops; returns when all are done. Throws what a producer threw.
  Counts run_epoch(uint32_t nr_ops);

  // Totals since the start, one per producer.
  std::vector<Counts> totals();
  // Readable when a producer failed; then rethrow() throws its exception.
  int failure_fd() const { return x_failure_fd.get(); }
  void rethrow();

private:
  void work(unsigned index, int cpu);
  void run_endless(unsigned index);
  void add(unsigned index, const Counts &counts);
  void fail();

  Bench &x_bench;
  const Descriptor &x_descriptor;
  bool x_net;
  Fd x_failure_fd;
  std::atomic<bool> x_stop{false};
  std::mutex x_lock; // guards all below
  std::condition_variable x_wake, x_done;
  std::vector<Counts> x_totals;
  uint64_t x_epoch = 0;     // number of the epoch that producers should do
  uint32_t x_epoch_ops = 0; // 0: endless
  unsigned x_running = 0;
  std::exception_ptr x_failure;
  std::vector<std::thread> x_threads;
};

// The CPUs of the producers: those of the list in turn, or of all that this process may use, behind
// the first ones, which are for consumers. An explicit list that is too short throws usage_error.
std::vector<int> producer_cpus(unsigned producers, const std::vector<int> &explicit_list,
                               unsigned consumers = 0);

// Whether two producers share a CPU.
bool share_cpu(const std::vector<int> &cpus);

// What was done in an interval of this length, from the totals before and after.
Sample make_sample(const std::vector<Counts> &before, const std::vector<Counts> &after,
                   double interval_ns, bool shared_cpu, Readings readings);

// How a measuring ended.
enum class Ending { Complete, Interrupted };

// Calls tick(iteration, sample) after each interval until it says no more. Producers run
// throughout.
Ending measure(Bench &bench, Producers &producers, Signals &signals, bool shared_cpu,
               std::chrono::nanoseconds interval,
               const std::function<bool(unsigned, const Sample &)> &tick);

} // namespace bench
