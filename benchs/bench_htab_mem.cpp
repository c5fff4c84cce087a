// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// htab-mem, rhtab-mem: speed and memory of a hash map, and of the resizable one, under three
// patterns of use. One hit is 64 elements written or deleted. Memory is what the map's cgroup is
// charged (v2 or v1), or the map's own accounting where no cgroup can be had. What makes memory
// look wrong: the kernel charges in batches of up to 64 pages per CPU, so a difference below that
// means nothing.
#include <bpf/bpf.h>

#include <condition_variable>
#include <fstream>
#include <mutex>

#include "tools/bench/counted.h"
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"
#include "tools/lib/cpus.h"
#include "tools/lib/memory_cgroup.h"
#include "tools/lib/text.h"

// After the header that defines its structs.
#include "htab_mem_bench.skel.h"

namespace
{

using namespace bench;
using Skel = htab_mem_bench;

constexpr double mib = 1024 * 1024;

// What the kernel itself says that a map holds, in bytes (fdinfo). Exact since 6.4, an estimate
// from its size before.
std::optional<uint64_t> map_memory(int fd)
{
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(fd));
  for (std::string name, value; file >> name >> value;)
    if (name == "memlock:")
      return parse_whole(value);
  return std::nullopt;
}

// Two producers that take turns: one adds what the other then deletes.
class Turns {
public:
  // Waits for this producer's turn (0 or 1); false when the run ends first.
  bool wait(unsigned turn)
  {
    std::unique_lock lock(x_lock);
    x_changed.wait(lock, [&] { return x_turn == turn || x_stop; });
    return !x_stop;
  }
  void next()
  {
    std::lock_guard guard(x_lock);
    x_turn ^= 1;
    x_changed.notify_all();
  }
  void stop()
  {
    std::lock_guard guard(x_lock);
    x_stop = true;
    x_changed.notify_all();
  }

private:
  std::mutex x_lock;
  std::condition_variable x_changed;
  unsigned x_turn = 0;
  bool x_stop = false;
};

class HtabMem : public TestRunBench {
public:
  HtabMem(const Params &params, bool resizable)
      : x_pairs(params.text("use-case") == "add_del_on_diff_cpu"), x_skel("htab_mem_bench"),
        x_turns(params.producers / 2)
  {
    bpf_map *map = x_skel->maps.htab;
    if (resizable)
      make_resizable(map);
    join_cgroup();
    // Room for every producer's 64 elements: more would count a full map as work.
    uint32_t entries = std::max<uint32_t>(8192, 64 * params.producers);
    bpf::check(bpf_map__set_max_entries(map, entries), "size map", "htab");
    bpf::check(bpf_map__set_value_size(map, params.number("value-size")), "size map", "htab");
    if (params.flag("preallocated"))
      bpf::check(bpf_map__set_map_flags(map, 0), "set flags of map", "htab");
    if (!resizable)
      fix_hash_seed(map);
    x_skel->rodata->stride = x_pairs ? params.producers / 2 : params.producers;
    auto &progs = x_skel->progs;
    bpf_program *op = x_pairs                                  ? progs.add_only
                      : params.text("use-case") == "overwrite" ? progs.overwrite
                                                               : progs.batch_add_batch_del;
    x_skel.load_only({op, progs.loop, x_pairs ? progs.del_only : nullptr});
    if (x_cgroup)
      x_cgroup->leave();
    use(op, progs.loop, x_skel->bss->bench_slots, params.producers, 1);
  }

  Counts run(unsigned producer, uint32_t nr_ops) override
  {
    if (!x_pairs)
      return TestRunBench::run(producer, nr_ops);
    Counts total;
    Turns &turns = x_turns[producer / 2];
    const bpf_program *prog = producer % 2 ? x_skel->progs.del_only : x_skel->progs.add_only;
    for (uint32_t i = 0; i < nr_ops && turns.wait(producer % 2); i++) {
      run_once(prog, producer, 1, inject_q20(), total);
      turns.next();
    }
    return total;
  }

  // Keys do not depend on a seed, and a half-done add and delete must go on where it was.
  void seed(uint64_t) override {}

  void stop() override
  {
    for (Turns &turns : x_turns)
      turns.stop();
  }

  Readings readings() override
  {
    Readings readings;
    if (x_cgroup) {
      readings["memory"] = x_cgroup->usage() / mib;
      if (auto peak = x_cgroup->peak())
        readings["peak_memory"] = *peak / mib;
    } else if (auto bytes = map_memory(bpf_map__fd(x_skel->maps.htab))) {
      x_most = std::max(x_most, *bytes / mib);
      readings = {{"memory", *bytes / mib}, {"peak_memory", x_most}};
    }
    return readings;
  }

private:
  void join_cgroup()
  {
    try {
      x_cgroup = std::make_unique<MemoryCgroup>();
    } catch (const bpf::missing &) {
      // The map's own accounting serves.
    }
  }

  bool x_pairs;
  std::unique_ptr<MemoryCgroup> x_cgroup; // outlives the map
  bpf::Skeleton<Skel> x_skel;
  std::vector<Turns> x_turns;
  double x_most = 0;
};

void validate(const Params &params)
{
  if (params.text("use-case") != "add_del_on_diff_cpu")
    return;
  if (params.producers % 2)
    throw usage_error("add_del_on_diff_cpu needs an even number of producers (-p 2)");
  // Where instructions are counted there is one CPU, and more producers are skipped, not refused.
  if (allowed_cpus().size() < 2 && !counting())
    throw usage_error("add_del_on_diff_cpu needs two CPUs, this process may use one");
}

void validate_resizable(const Params &params)
{
  validate(params);
  if (params.flag("preallocated"))
    throw usage_error("rhtab-mem: a resizable hash map cannot be preallocated");
}

Descriptor htab_mem_of(const char *name, const char *op, bool resizable)
{
  return {
      .name = name,
      .op = op,
      .report = htab_mem_report(),
      .options = {choice("use-case", {"overwrite", "batch_add_batch_del", "add_del_on_diff_cpu"},
                         "pattern of use"),
                  number("value-size", 1, 4096, 8, "bytes of a value"),
                  flag("preallocated", "a preallocated map")},
      .ops_per_run = 100,
      .counted_ops = [](const Params &) { return 10; },
      .validate = resizable ? validate_resizable : validate,
      .load = [=](const Params &params) { return std::make_unique<HtabMem>(params, resizable); },
  };
}

const Register htab_mem{
    htab_mem_of("htab-mem",
                "64 elements of a hash map written (overwrite), or added or deleted (the other use "
                "cases)",
                false),
    htab_mem_of("rhtab-mem", "the same of a resizable hash map", true),
};

} // namespace
