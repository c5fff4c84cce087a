// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/test_run_bench.h"

#include <bpf/bpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "tools/lib/instruction_clock.h"
#include "tools/lib/model_page.h"
#include "tools/lib/probe.h"

namespace bench
{

static std::string wrong_result(const bpf_program *prog, const bench_slot &slot)
{
  std::string text = fmt::format("program '{}' got a wrong result from an op: {}",
                                 bpf_program__name(prog), slot.error);
  if (slot.error < 0 && slot.error > -4096)
    text += fmt::format(" ({})", std::generic_category().message(static_cast<int>(-slot.error)));
  return text;
}

void TestRunBench::use(const bpf_program *prog, const bpf_program *base, bench_slot *slots,
                       unsigned producers, uint64_t nr_keys)
{
  x_prog = prog;
  x_base = base;
  x_slots = slots;
  x_producers = producers;
  x_nr_keys = nr_keys;
  seed(1);
}

void TestRunBench::refill()
{
  throw std::runtime_error(fmt::format("program '{}' stopped early", bpf_program__name(x_prog)));
}

bench_verdict TestRunBench::run_once(const bpf_program *prog, unsigned producer, uint32_t nr_ops,
                                     uint64_t inject_q20, Counts &counts, uint64_t spins)
{
  bench_args args = {producer, nr_ops, inject_q20, spins};
  bool raw_tp = bpf_program__type(prog) == BPF_PROG_TYPE_RAW_TRACEPOINT;
  // Kernels before 6.13 take no less than an Ethernet header; some want 64 bytes.
  std::array<uint8_t, 64> packet = {};
  std::copy_n(reinterpret_cast<const uint8_t *>(&args), sizeof(args), packet.data());
  LIBBPF_OPTS(bpf_test_run_opts, opts);
  if (raw_tp) {
    opts.ctx_in = &args;
    opts.ctx_size_in = sizeof(args);
  } else {
    opts.data_in = packet.data();
    opts.data_size_in = packet.size();
    opts.repeat = 1;
  }
  bpf::check(bpf_prog_test_run_opts(bpf_program__fd(prog), &opts), "run BPF program",
             bpf_program__name(prog));
  const bench_slot &slot = x_slots[producer];
  if (opts.retval == BENCH_WRONG)
    throw std::runtime_error(wrong_result(prog, slot));
  if (opts.retval != BENCH_OK && opts.retval != BENCH_EXHAUSTED)
    throw std::runtime_error(
        fmt::format("program '{}' returned {}", bpf_program__name(prog), opts.retval));
  counts += Counts{slot.hits, slot.drops, slot.false_hits, slot.absent, slot.duration_ns, 0, 0};
  return static_cast<bench_verdict>(opts.retval);
}

Counts TestRunBench::run_all(const bpf_program *prog, unsigned producer, uint32_t nr_ops,
                             uint64_t inject_q20, bool refillable)
{
  Counts total;
  bool refilled_in_vain = false;
  while (total.ops() < nr_ops) {
    // One bpf_loop() ends at 2^23.
    uint32_t left = static_cast<uint32_t>(std::min<uint64_t>(nr_ops - total.ops(), 1 << 23));
    uint64_t before = total.ops();
    if (run_once(prog, producer, left, inject_q20, total) != BENCH_EXHAUSTED) {
      if (total.ops() == before)
        throw std::runtime_error(
            fmt::format("program '{}' did no op of {}", bpf_program__name(prog), left));
      continue;
    }
    // One may come at the end of what is there; a second one without any op would come forever.
    if (total.ops() == before && refilled_in_vain)
      throw std::runtime_error(
          fmt::format("program '{}' did no op after a refill", bpf_program__name(prog)));
    refilled_in_vain = total.ops() == before;
    if (refillable)
      refill();
    x_slots[producer].cursor = 0;
  }
  return total;
}

Counts TestRunBench::run(unsigned producer, uint32_t nr_ops)
{
  return run_all(x_prog, producer, nr_ops, x_inject_q20, true);
}

std::optional<Counts> TestRunBench::run_base_on(unsigned producer, uint32_t nr_ops)
{
  if (!x_base)
    return std::nullopt;
  return run_all(x_base, producer, nr_ops, 0, false);
}

// bench_loop.bpf.h reads the one right before its loop, and writes the other right behind it.
bool TestRunBench::bracket(ModelPage &model)
{
  auto field = [](const __u64 &value) { return reinterpret_cast<const uint64_t *>(&value); };
  model.watch(field(x_slots[0].rng), field(x_slots[0].duration_ns));
  return true;
}

std::optional<Counts> TestRunBench::run_base(unsigned producer, uint32_t nr_ops)
{
  // The op's own keys must not notice that its base ran in between.
  bench_slot saved = x_slots[producer];
  std::optional<Counts> counts = run_base_on(producer, nr_ops);
  x_slots[producer].cursor = saved.cursor;
  x_slots[producer].rng = saved.rng;
  return counts;
}

// Of a seed, any two differing ones giving unrelated streams (splitmix64 of Steele et al., 2014).
static uint64_t scramble(uint64_t x)
{
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void TestRunBench::seed(uint64_t seed)
{
  uint64_t start = scramble(seed);
  for (unsigned producer = 0; producer < x_producers; producer++) {
    x_slots[producer].cursor = (start + producer * x_nr_keys / x_producers) % x_nr_keys;
    x_slots[producer].rng = scramble(start + producer) | 1; // xorshift must not start from 0
  }
}

std::string TestRunBench::bytecode() const { return program_tag(x_prog); }

std::string TestRunBench::base_bytecode() const { return x_base ? program_tag(x_base) : ""; }

std::string program_tag(const bpf_program *prog)
{
  bpf_prog_info info = {};
  uint32_t size = sizeof(info);
  bpf::check(bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size), "read BPF program",
             bpf_program__name(prog));
  std::string tag;
  for (uint8_t byte : info.tag)
    tag += fmt::format("{:02x}", byte);
  return tag;
}

void fix_hash_seed(bpf_map *map)
{
  if (clock_counts_instructions())
    bpf::check(bpf_map__set_map_flags(map, bpf_map__map_flags(map) | BPF_F_ZERO_SEED),
               "set flags of map", bpf_map__name(map));
}

void make_resizable(bpf_map *map)
{
  probe::require(probe::map_rhash);
  bpf::check(bpf_map__set_type(map, static_cast<bpf_map_type>(probe::map_type_rhash)),
             "set type of map", bpf_map__name(map));
}

// The fastest of several: whatever disturbs a run only makes it longer.
double TestRunBench::fastest_ns(uint64_t spins)
{
  const bpf_program *harmless = x_base ? x_base : x_prog;
  bench_slot saved = x_slots[0];
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 9; i++) {
    Counts counts;
    run_once(harmless, 0, 1, 0, counts, spins);
    best = std::min(best, static_cast<double>(counts.ns));
  }
  x_slots[0].cursor = saved.cursor;
  x_slots[0].rng = saved.rng;
  return best;
}

InjectionCost TestRunBench::measure_injection()
{
  constexpr uint64_t spins = 50000;
  double spin_ns = fastest_ns(spins) / spins;
  return {fastest_ns(1) - fastest_ns(0) - spin_ns, spin_ns};
}

constexpr uint64_t batch_limit = 65536;

static std::vector<uint8_t> write_batch(uint64_t first, uint32_t count, uint32_t size,
                                        const ElementWriter &write)
{
  std::vector<uint8_t> bytes(size_t(count) * size);
  for (uint32_t i = 0; i < count; i++)
    write(first + i, &bytes[size_t(i) * size]);
  return bytes;
}

void fill_map(int map_fd, const char *name, uint64_t nr, uint32_t key_size, uint32_t value_size,
              const ElementWriter &key, const ElementWriter &value)
{
  LIBBPF_OPTS(bpf_map_batch_opts, opts);
  for (uint64_t done = 0; done < nr;) {
    uint32_t count = static_cast<uint32_t>(std::min(nr - done, batch_limit));
    auto keys = write_batch(done, count, key_size, key);
    auto values = write_batch(done, count, value_size, value);
    bpf::check(bpf_map_update_batch(map_fd, keys.data(), values.data(), &count, &opts), "fill map",
               name);
    done += count;
  }
}

void empty_map(int map_fd, const char *name, uint64_t nr, uint32_t key_size,
               const ElementWriter &key)
{
  LIBBPF_OPTS(bpf_map_batch_opts, opts);
  for (uint64_t done = 0; done < nr;) {
    uint32_t count = static_cast<uint32_t>(std::min(nr - done, batch_limit));
    auto keys = write_batch(done, count, key_size, key);
    bpf::check(bpf_map_delete_batch(map_fd, keys.data(), &count, &opts), "empty map", name);
    done += count;
  }
}

} // namespace bench
