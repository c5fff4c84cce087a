// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bpf-hashmap-*, bpf-rhashmap-*: a hash map, and the resizable one, by itself. One hit is one
// lookup of a key that is there, or one update that a full map must refuse (E2BIG). What makes a
// figure wrong: comparing maps of different sizes; buckets and keys leave the cache.
#include <cstring>

#include "progs/hashmap_bench.h"
#include "tools/bench/per_cpu_rates.h"
#include "tools/bench/test_run_bench.h"
#include "tools/bench/upstream_reports.h"

// After the header that defines its structs.
#include "hashmap_bench.skel.h"

namespace
{

using namespace bench;
using Skel = hashmap_bench;
using Programs = decltype(Skel::progs);

struct Sizes {
  uint32_t key = sizeof(uint32_t), flags = 0, max_entries = 1000, nr_entries = 1000;
  uint32_t most_loops = UINT32_MAX; // ops of one test run
};

class HashMap : public TestRunBench {
public:
  HashMap(const Params &params, const Sizes &sizes, bool resizable, bpf_program *Programs::*prog)
      : x_most_loops(sizes.most_loops), x_skel("hashmap_bench")
  {
    bpf_map *map = x_skel->maps.hashmap;
    uint32_t flags = sizes.flags;
    if (resizable) {
      make_resizable(map);
      flags |= BPF_F_NO_PREALLOC;
    }
    bpf::check(bpf_map__set_map_flags(map, flags), "set flags of map", "hashmap");
    bpf::check(bpf_map__set_key_size(map, sizes.key), "size map", "hashmap");
    bpf::check(bpf_map__set_max_entries(map, sizes.max_entries), "size map", "hashmap");
    if (!resizable)
      fix_hash_seed(map);
    x_skel->rodata->nr_entries = sizes.nr_entries;
    x_skel.load_only({x_skel->progs.*prog, x_skel->progs.walk_keys});
    fill(sizes);
    use(x_skel->progs.*prog, x_skel->progs.walk_keys, x_skel->bss->bench_slots, params.producers,
        sizes.nr_entries);
  }

  Counts run(unsigned producer, uint32_t nr_ops) override
  {
    Counts total;
    while (total.ops() < nr_ops)
      total += TestRunBench::run(
          producer, static_cast<uint32_t>(std::min<uint64_t>(nr_ops - total.ops(), x_most_loops)));
    x_rates.add(total);
    return total;
  }

  Readings readings() override { return x_rates.take(); }

private:
  // One after the other: not every kind of map takes batches.
  void fill(const Sizes &sizes)
  {
    hashmap_key key = {};
    uint64_t value = 0;
    for (key.number = 0; key.number < sizes.nr_entries; key.number++)
      bpf::check(bpf_map__update_elem(x_skel->maps.hashmap, &key, sizes.key, &value, sizeof(value),
                                      BPF_NOEXIST),
                 "fill map", "hashmap");
  }

  uint32_t x_most_loops;
  bpf::Skeleton<Skel> x_skel;
  PerCpuRates x_rates;
};

Descriptor full_update(const char *name, const char *op, bool resizable)
{
  return {
      .name = name, .op = op, .report = full_update_report(), .load = [=](const Params &params) {
        return std::make_unique<HashMap>(params, Sizes{}, resizable, &Programs::full_update);
      }};
}

std::vector<Option> lookup_options()
{
  return {number("key_size", 1, HASHMAP_MOST_KEY_SIZE, 4, "bytes of a key"),
          number("map_flags", 0, UINT32_MAX, 0, "flags of the map, as a number"),
          number("max_entries", 1, UINT32_MAX, 1000, "entries the map has room for"),
          number("nr_entries", 1, UINT32_MAX, 500, "entries that are in it"),
          number("nr_loops", 1, 1 << 23, 1000000, "lookups of one test run at most")};
}

void validate_lookup(const Params &params)
{
  uint64_t entries = params.number("nr_entries"), key_size = params.number("key_size");
  if (entries > params.number("max_entries"))
    throw usage_error("--nr_entries: more than --max_entries");
  if (key_size < sizeof(uint32_t) && entries > uint64_t(1) << (8 * key_size))
    throw usage_error("--nr_entries: more than there are keys of --key_size bytes");
}

Descriptor lookup(const char *name, const char *op, bool resizable)
{
  return {.name = name,
          .op = op,
          .report = lookup_report(),
          .options = lookup_options(),
          .validate = validate_lookup,
          .load = [=](const Params &params) {
            auto value = [&](const char *option) {
              return static_cast<uint32_t>(params.number(option));
            };
            Sizes sizes{value("key_size"), value("map_flags"), value("max_entries"),
                        value("nr_entries"), value("nr_loops")};
            return std::make_unique<HashMap>(params, sizes, resizable, &Programs::lookup);
          }};
}

const Register hashmaps{
    full_update("bpf-hashmap-full-update", "one update of a new key, refused by a full hash map",
                false),
    full_update("bpf-rhashmap-full-update",
                "one update of a new key, refused by a full resizable hash map", true),
    lookup("bpf-hashmap-lookup", "one bpf_map_lookup_elem() of a key that is in the hash map",
           false),
    lookup("bpf-rhashmap-lookup",
           "one bpf_map_lookup_elem() of a key that is in the resizable hash map", true),
};

} // namespace
