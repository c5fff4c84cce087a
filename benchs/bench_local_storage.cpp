// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// local-storage-cache-*: storage of the running task in nr_maps maps, against a lookup of a random
// key in as many hash maps. One hit is one get; important hits are those of the first map, which
// "int" asks for in between. All storages are made before measuring begins.
// What makes a figure wrong: a task has a cache of 16 storages, so that 16 maps and 17 differ most.
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <fmt/format.h>

#include <cstring>

#include "tools/bench/test_run_bench.h"
#include "tools/bench/upstream_reports.h"
#include "tools/lib/fd.h"
#include "tools/lib/probe.h"

// After the header that defines its structs.
#include "local_storage_bench.skel.h"

namespace
{

using namespace bench;
using Skel = local_storage_bench;

constexpr uint64_t most_maps = 1000, most_keys = 4194304;

enum class Kind { Sequential, Interleaved, HashMap };

class LocalStorage : public TestRunBench {
public:
  LocalStorage(const Params &params, Kind kind)
      : x_nr_maps(static_cast<uint32_t>(params.number("nr_maps"))),
        x_nr_keys(static_cast<uint32_t>(params.number("hashmap_nr_keys_used"))),
        x_skel("local_storage_bench")
  {
    probe::require(probe::map_task_storage);
    bool hash = kind == Kind::HashMap;
    auto &progs = x_skel->progs;
    bpf_program *op = hash ? progs.hash_lookup : progs.get,
                *base = hash ? progs.walk_hash_maps : progs.walk_storages;
    x_skel->rodata->nr_maps = x_nr_maps;
    x_skel->rodata->nr_keys = x_nr_keys;
    x_skel->rodata->interleave = kind == Kind::Interleaved;
    // libbpf forgets the template with the load.
    const bpf_map *inner = bpf_map__inner_map(x_skel->maps.storages);
    x_key_type = bpf_map__btf_key_type_id(inner);
    x_value_type = bpf_map__btf_value_type_id(inner);
    x_skel.load_only({op, base});
    for (uint32_t i = 0; i < x_nr_maps; i++)
      put(hash ? x_skel->maps.hash_maps : x_skel->maps.storages, i, hash ? hash_map() : storage());
    use(op, base, x_skel->bss->bench_slots, params.producers, x_nr_maps);
  }

  Counts run(unsigned producer, uint32_t nr_ops) override
  {
    if (!x_made) {
      x_made = true;
      bench_slot saved = slot(producer);
      make_storages(producer);
      slot(producer).cursor = saved.cursor;
      slot(producer).rng = saved.rng;
    }
    return TestRunBench::run(producer, nr_ops);
  }

private:
  // The first get of a task makes its storage. The memory must come without waiting, for which
  // newer kernels need what not every emulated CPU has.
  void make_storages(unsigned producer)
  {
    try {
      TestRunBench::run(producer, 2 * x_nr_maps);
    } catch (const std::runtime_error &) {
      probe::require(probe::cmpxchg16b);
      throw;
    }
  }

  Fd storage() const
  {
    LIBBPF_OPTS(bpf_map_create_opts, options,
                .btf_fd = static_cast<uint32_t>(bpf_object__btf_fd(x_skel->obj)),
                .btf_key_type_id = x_key_type, .btf_value_type_id = x_value_type,
                .map_flags = BPF_F_NO_PREALLOC);
    return Fd(bpf::check(
        bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, nullptr, sizeof(int), sizeof(int), 0, &options),
        "create map", "task storage"));
  }

  // As many buckets as upstream's where there is one map; of a thousand, memory has no room for so
  // many.
  Fd hash_map() const
  {
    uint32_t entries = std::max<uint32_t>(x_nr_keys, most_keys / x_nr_maps);
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);
    Fd map(bpf::check(
        bpf_map_create(BPF_MAP_TYPE_HASH, nullptr, sizeof(int), sizeof(int), entries, &options),
        "create map", "hash"));
    auto number = [](uint64_t i, uint8_t *out) {
      uint32_t key = static_cast<uint32_t>(i);
      memcpy(out, &key, sizeof(key));
    };
    fill_map(map.get(), "hash", x_nr_keys, sizeof(int), sizeof(int), number, number);
    return map;
  }

  // The outer map keeps it.
  static void put(const bpf_map *outer, uint32_t index, const Fd &inner)
  {
    int fd = inner.get();
    bpf::check(bpf_map_update_elem(bpf_map__fd(outer), &index, &fd, BPF_ANY), "put into map",
               bpf_map__name(outer));
  }

  uint32_t x_nr_maps, x_nr_keys, x_key_type = 0, x_value_type = 0; // the types by BTF id
  bpf::Skeleton<Skel> x_skel;
  bool x_made = false;
};

Descriptor local_storage(const char *name, const char *op, Kind kind)
{
  return {
      .name = name,
      .op = op,
      .report = local_storage_report(),
      .options = {number("nr_maps", 1, most_maps, 1000, "maps"),
                  number("hashmap_nr_keys_used", 1, most_keys, 1000, "keys of each hash map")},
      .validate = [=](const Params &params) { require_one_producer(params, name); },
      .load = [=](const Params &params) { return std::make_unique<LocalStorage>(params, kind); }};
}

const Register local_storages{
    local_storage("local-storage-cache-seq-get",
                  "one bpf_task_storage_get(), of one map after the other", Kind::Sequential),
    local_storage("local-storage-cache-int-get",
                  "one bpf_task_storage_get(), the first map in between", Kind::Interleaved),
    local_storage("local-storage-cache-hashmap-control",
                  "one lookup of a random key in a hash map, of one map after the other",
                  Kind::HashMap),
};

} // namespace
