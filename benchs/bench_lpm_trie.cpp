// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// lpm-trie-*: ops of a longest-prefix-match trie that is filled densely with nr_entries prefixes.
// One hit is one op on one prefix. insert and delete are timed without the refilling between.
// What makes a figure wrong: the place in memory that a load gets (several loads tell), and a trie
// larger than the cache, which sequential keys visit warm and random ones cold.
#include "lpm_trie_keys.h"
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"

// After the header that defines its structs.
#include "lpm_trie_bench.skel.h"

namespace
{

using namespace bench;
using Skel = lpm_trie_bench;

using Programs = decltype(Skel::progs);

class LpmTrie : public TestRunBench {
public:
  LpmTrie(const Params &params, bpf_program *Programs::*prog, bpf_program *Programs::*base)
      : x_params(params), x_skel("lpm_trie_bench")
  {
    x_skel->rodata->nr_entries = params.number("nr_entries");
    x_skel->rodata->prefix_len = params.number("prefix_len");
    x_skel->rodata->random_keys = params.flag("random");
    bpf_program *op = x_skel->progs.*prog, *without = base ? x_skel->progs.*base : nullptr;
    x_skel.load_only({op, without});
    use(op, without, x_skel->bss->bench_slots, params.producers, params.number("nr_entries"));
  }

protected:
  int trie_fd() { return bpf_map__fd(x_skel->maps.trie); }
  void fill()
  {
    lpm::fill(trie_fd(), x_params.number("nr_entries"), x_params.number("prefix_len"));
  }

  const Params x_params;
  bpf::Skeleton<Skel> x_skel;
};

// lookup, update: the trie stays full.
class LpmFull : public LpmTrie {
public:
  LpmFull(const Params &params, bpf_program *Programs::*prog)
      : LpmTrie(params, prog, &Programs::baseline)
  {
    fill();
  }
};

// insert, delete: every key once, then the trie is emptied or filled again.
class LpmOnce : public LpmTrie {
public:
  LpmOnce(const Params &params, bpf_program *Programs::*prog, bool starts_full)
      : LpmTrie(params, prog, &Programs::sequence), x_prog(x_skel->progs.*prog),
        x_starts_full(starts_full)
  {
    slot(0).cursor = 0;
    if (starts_full)
      fill();
  }

  // All seeds mean the same keys: a fresh start. What is left of the cycle is done and not counted.
  void seed(uint64_t) override
  {
    uint64_t left = x_params.number("nr_entries") - slot(0).cursor;
    Counts ignored;
    while (slot(0).cursor && left) {
      uint32_t ops = static_cast<uint32_t>(std::min<uint64_t>(left, 1 << 20));
      run_once(x_prog, 0, ops, 0, ignored);
      left -= ops;
    }
  }

protected:
  void refill() override
  {
    if (x_starts_full)
      fill();
    else
      empty_map(trie_fd(), "trie", x_params.number("nr_entries"), sizeof(lpm::Key),
                lpm::key_writer(x_params.number("prefix_len")));
  }

private:
  const bpf_program *x_prog;
  bool x_starts_full;
};

Descriptor full(const char *name, const char *op, bpf_program *Programs::*prog)
{
  return {.name = name,
          .op = op,
          .report = ops_report(),
          .options = lpm::options(),
          .validate = lpm::validate,
          .load = [=](const Params &params) { return std::make_unique<LpmFull>(params, prog); }};
}

Descriptor once(const char *name, const char *op, bpf_program *Programs::*prog, bool starts_full)
{
  return {.name = name,
          .op = op,
          .report = ops_report(),
          .options = lpm::options(),
          .cycle = [](const Params &params) { return params.number("nr_entries"); },
          .validate = lpm::validate_once,
          .load =
              [=](const Params &params) {
                return std::make_unique<LpmOnce>(params, prog, starts_full);
              }};
}

Descriptor bare(const char *name, const char *op, bpf_program *Programs::*prog,
                bpf_program *Programs::*base)
{
  return {
      .name = name,
      .op = op,
      .report = ops_report(),
      .options = lpm::options(),
      .counted_ops = [](const Params &) { return 10000; },
      .validate = lpm::validate,
      .load = [=](const Params &params) { return std::make_unique<LpmTrie>(params, prog, base); }};
}

const Register lpm_trie{
    bare("lpm-trie-noop", "one iteration of an empty bpf_loop()", &Programs::noop, nullptr),
    bare("lpm-trie-baseline", "making one key, without using it", &Programs::baseline,
         &Programs::noop),
    full("lpm-trie-lookup", "one bpf_map_lookup_elem() of a prefix that is present",
         &Programs::lookup),
    full("lpm-trie-update", "one bpf_map_update_elem() of a prefix that is present (BPF_EXIST)",
         &Programs::update),
    once("lpm-trie-insert", "one bpf_map_update_elem() of a new prefix (BPF_NOEXIST), from empty",
         &Programs::insert, false),
    once("lpm-trie-delete", "one bpf_map_delete_elem() of a prefix that is present, from full",
         &Programs::erase, true),
};

} // namespace
