// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// local-storage-create: what it takes to make storage for a new socket or a new task. One hit is
// one socket or thread that was made with its storage; batch-size of them live at a time, and their
// end is in the figure. --net takes off the same with the program detached, in between.
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "tools/bench/test_run_bench.h"
#include "tools/bench/upstream_reports.h"
#include "tools/bench/user_loop_bench.h"
#include "tools/lib/fd.h"
#include "tools/lib/probe.h"

// After the header that defines its structs.
#include "storage_create_bench.skel.h"

namespace
{

using namespace bench;

class StorageCreate : public UserLoopBench {
public:
  explicit StorageCreate(const Params &params)
      : x_of_tasks(params.text("storage-type") == "task"), x_alone(params.producers == 1),
        x_batch(static_cast<uint32_t>(params.number("batch-size"))), x_skel("storage_create_bench")
  {
    probe::require(x_of_tasks ? probe::map_task_storage : probe::map_sk_storage);
    probe::require(probe::fentry);
    bpf_program *prog = x_of_tasks ? x_skel->progs.on_fork : x_skel->progs.on_socket;
    x_skel->rodata->bench_pid = static_cast<uint32_t>(getpid());
    x_skel.load_only({prog});
    x_skel.attach();
    x_bytecode = program_tag(prog);
    if (!x_of_tasks)
      require_lsm();
  }

private:
  void loop(unsigned, uint32_t nr_ops) override
  {
    for (uint32_t left = nr_ops; left;) {
      uint32_t batch = std::min(left, x_batch);
      x_of_tasks ? make_tasks(batch) : make_sockets(batch);
      left -= batch;
    }
    if (uint64_t errors = __atomic_load_n(&x_skel->bss->errors, __ATOMIC_RELAXED)) {
      probe::require(probe::cmpxchg16b); // of memory without waiting
      throw std::runtime_error("storage could not be made " + std::to_string(errors) + " times");
    }
  }

  static void make_sockets(uint32_t nr)
  {
    std::vector<Fd> sockets;
    for (uint32_t i = 0; i < nr; i++) {
      sockets.emplace_back(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
      if (!sockets.back())
        throw std::system_error(errno, std::generic_category(), "cannot make a socket");
    }
  }

  static void make_tasks(uint32_t nr)
  {
    std::vector<std::jthread> threads;
    for (uint32_t i = 0; i < nr; i++)
      threads.emplace_back([] {});
  }

  std::optional<uint64_t> counted(unsigned) override { return hits_here(x_skel->bss->hits); }

  uint64_t all_hits() const
  {
    uint64_t sum = 0;
    for (const bench_hits &each : x_skel->bss->hits)
      sum += each.count;
    return sum;
  }

  // An LSM program attaches also where the kernel never asks it.
  void require_lsm()
  {
    uint64_t before = all_hits();
    make_sockets(1);
    if (x_skel->bss->errors)
      probe::require(probe::cmpxchg16b);
    if (all_hits() == before)
      throw bpf::missing("bpf is not among the security modules in use (lsm= of the command line)");
  }

  // Of several producers none may find the program detached.
  bool begin_base() override
  {
    if (x_alone)
      x_skel.detach();
    return x_alone;
  }
  void end_base() override { x_skel.attach(); }

  bool x_of_tasks, x_alone;
  uint32_t x_batch;
  bpf::Skeleton<storage_create_bench> x_skel;
};

const Register storage_create{{
    .name = "local-storage-create",
    .op = "one socket or one thread, made with its storage and ended",
    .report = storage_create_report(),
    .options = {number("batch-size", 1, 100000, 32, "sockets or threads at a time"),
                choice("storage-type", {"socket", "task"}, "what storage is made for")},
    .ops_per_run = 320,
    .counted_ops = [](const Params &) { return 32; },
    .load = [](const Params &params) { return std::make_unique<StorageCreate>(params); },
}};

} // namespace
