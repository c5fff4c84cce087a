// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bloom-*, hashmap-with(out)-bloom: a bloom filter by itself and in front of a hash map.
// One hit is one lookup or push; drops are lookups that found nothing in the hash map. Maps are
// full before measuring begins.
// What makes a figure wrong: comparing hits of the two hashmap benches (most lookups miss, and a
// miss that the filter stops is a hit); compare their total operations.
#include <bpf/bpf.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "progs/bloom_filter_bench.h"
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"

// After the header that defines its structs.
#include "bloom_filter_bench.skel.h"

namespace
{

using namespace bench;
using Skel = bloom_filter_bench;
using Programs = decltype(Skel::progs);

// Number i to a value of `bits` bits, each i its own: every step is invertible modulo 2^bits.
uint64_t scatter(uint64_t i, unsigned bits)
{
  uint64_t mask = bits == 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
  uint64_t x = i & mask;
  for (int round = 0; round < 3; round++) {
    x = (x * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019) & mask;
    x ^= x >> (bits / 2);
  }
  return x;
}

// Element i as value_size bytes: scattered in the first eight, pseudo-random in the rest.
ElementWriter value_writer(uint64_t value_size)
{
  return [=](uint64_t i, uint8_t *out) {
    unsigned head = static_cast<unsigned>(std::min<uint64_t>(value_size, 8));
    uint64_t value = scatter(i, head * 8);
    memcpy(out, &value, head);
    for (uint64_t at = head; at < value_size; at += 8) {
      value = scatter(value + at, 64);
      memcpy(out + at, &value, std::min<uint64_t>(8, value_size - at));
    }
  };
}

// Made once: each load wants the same ones.
const std::vector<uint64_t> &random_bytes()
{
  static const std::vector<uint64_t> all = [] {
    std::vector<uint64_t> words((NR_RANDOM_BYTES + 7) / 8);
    std::mt19937_64 random(1);
    std::generate(words.begin(), words.end(), random);
    return words;
  }();
  return all;
}

// Which of the maps a benchmark needs.
struct Needs {
  bool values, filter, hashmap, windows;
};

class Bloom : public TestRunBench {
public:
  Bloom(const Params &params, bpf_program *Programs::*prog, bpf_program *Programs::*base,
        Needs needs, uint64_t nr_keys)
      : x_skel("bloom_filter_bench")
  {
    uint64_t nr = params.number("nr_entries"), value_size = params.number("value_size");
    size_maps(params, needs);
    x_skel->rodata->nr_entries = static_cast<uint32_t>(nr);
    // update also fills the filter, thousands of values a system call
    bpf_program *fill = needs.filter ? x_skel->progs.update : nullptr;
    x_skel.load_only({x_skel->progs.*prog, x_skel->progs.*base, fill});

    if (needs.windows) {
      uint32_t first = 0;
      int fd = bpf_map__fd(x_skel->maps.windows);
      bpf::check(bpf_map_update_elem(fd, &first, random_bytes().data(), BPF_ANY), "fill map",
                 "windows");
    }
    auto value = value_writer(value_size);
    if (needs.hashmap)
      fill_map(bpf_map__fd(x_skel->maps.hashmap), "hashmap", nr, value_size, 4, value,
               [](uint64_t, uint8_t *out) { memset(out, 0, 4); });
    if (needs.filter)
      fill_filter(nr, value_size, value);
    use(x_skel->progs.*prog, x_skel->progs.*base, x_skel->bss->bench_slots, params.producers,
        nr_keys ? nr_keys : nr);
  }

private:
  void size_maps(const Params &params, Needs needs)
  {
    auto &maps = x_skel->maps;
    uint32_t nr = static_cast<uint32_t>(params.number("nr_entries"));
    uint32_t value_size = static_cast<uint32_t>(params.number("value_size"));
    for (bpf_map *map : {maps.values, maps.filter, maps.hashmap})
      bpf::check(bpf_map__set_max_entries(map, nr), "size map", bpf_map__name(map));
    bpf::check(bpf_map__set_value_size(maps.values, value_size), "size map", "values");
    bpf::check(bpf_map__set_value_size(maps.filter, value_size), "size map", "filter");
    bpf::check(bpf_map__set_key_size(maps.hashmap, value_size), "size map", "hashmap");
    bpf::check(bpf_map__set_map_extra(maps.filter, params.number("nr_hash_funcs")), "size map",
               "filter");
    fix_hash_seed(maps.filter);
    fix_hash_seed(maps.hashmap);
    // The filter is filled from the array of values.
    bpf_map__set_autocreate(maps.values, needs.values || needs.filter);
    bpf_map__set_autocreate(maps.filter, needs.filter);
    bpf_map__set_autocreate(maps.hashmap, needs.hashmap);
    bpf_map__set_autocreate(maps.windows, needs.windows);
  }

  void fill_filter(uint64_t nr, uint64_t value_size, const ElementWriter &value)
  {
    fill_map(
        bpf_map__fd(x_skel->maps.values), "values", nr, 4, value_size,
        [](uint64_t i, uint8_t *out) { memcpy(out, &i, 4); }, value);
    use(x_skel->progs.update, nullptr, x_skel->bss->bench_slots, 1, nr);
    slot(0).cursor = 0;
    for (uint64_t done = 0; done < nr;) {
      uint32_t count = static_cast<uint32_t>(std::min<uint64_t>(nr - done, 100000));
      run(0, count);
      done += count;
    }
  }

  bpf::Skeleton<Skel> x_skel;
};

std::vector<Option> options()
{
  return {
      number("nr_entries", 1, UINT32_MAX, 1000, "values in the maps"),
      number("nr_hash_funcs", 1, 15, 3, "hash functions of the filter"),
      number("value_size", 2, 256, 8, "bytes of a value"),
  };
}

void validate(const Params &params)
{
  uint64_t value_size = params.number("value_size"), nr_entries = params.number("nr_entries");
  if (value_size < 8 && nr_entries > uint64_t(1) << (8 * value_size))
    throw usage_error("--value_size " + std::to_string(value_size) + " has no " +
                      std::to_string(nr_entries) + " different values (--nr_entries)");
}

Descriptor make(const char *name, const char *op, std::shared_ptr<const Report> report,
                bpf_program *Programs::*prog, Needs needs)
{
  auto base = needs.windows ? &Programs::walk_windows : &Programs::walk_values;
  return {.name = name,
          .op = op,
          .report = std::move(report),
          .options = options(),
          .rate_ops = prog == &Programs::false_positive ? 100000U : 0,
          // A line of the random bytes is 64 windows, of which any one will do.
          .warming_ops = needs.windows ? 250000U : 0,
          .validate = validate,
          .load = [=](const Params &params) {
            return std::make_unique<Bloom>(params, prog, base, needs,
                                           needs.windows ? NR_WINDOWS : 0);
          }};
}

const Register bloom_filter{
    make("bloom-lookup", "one bpf_map_peek_elem() of a value that is in the filter",
         hits_drops_report(), &Programs::lookup, {true, true, false, false}),
    make("bloom-update", "one bpf_map_push_elem() of a value that is in the filter already",
         hits_drops_report(), &Programs::update, {true, true, false, false}),
    make("bloom-false-positive",
         "one bpf_map_peek_elem() of a random value, and a hash lookup where the filter says yes",
         false_positive_report(), &Programs::false_positive, {false, true, true, true}),
    make("hashmap-without-bloom", "one bpf_map_lookup_elem() of a random value in a hash map",
         hits_drops_report(), &Programs::without_bloom, {false, false, true, true}),
    make("hashmap-with-bloom", "the same behind a bpf_map_peek_elem() of a bloom filter",
         hits_drops_report(), &Programs::with_bloom, {false, true, true, true}),
};

} // namespace
