// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the bloom filter tests share: map specs, values by number, and the BPF programs that push
// and peek.
#pragma once

#include <cstring>
#include <vector>

#include "bloom_filter.skel.h"
#include "progs/bloom_filter.h"
#include "tools/lib/map.h"
#include "tools/lib/skeleton.h"

namespace bloom
{

using Value = std::vector<uint8_t>;

// hashes: 0 is the kernel's default of five.
inline bpf::MapSpec spec(__u32 value_size = 8, __u32 entries = 1000, __u64 hashes = 0,
                         __u32 flags = 0)
{
  return {.type = BPF_MAP_TYPE_BLOOM_FILTER,
          .key_size = 0,
          .value_size = value_size,
          .max_entries = entries,
          .flags = flags,
          .extra = hashes};
}

// Value number n in size bytes. Different numbers below 256^size are different values.
inline Value value_of(uint64_t n, size_t size)
{
  Value value(size);
  for (size_t i = 0; i < size; i++)
    value[i] = i < 8 ? n >> (8 * i) : bloom_value(n + i);
  return value;
}

inline int push(const bpf::Map &map, const Value &value, __u64 flags = BPF_ANY)
{
  return map.update(nullptr, value.data(), flags);
}

// The kernel reads the value and writes nothing back.
inline int peek(const bpf::Map &map, const Value &value, __u64 flags = 0)
{
  return map.lookup(nullptr, const_cast<uint8_t *>(value.data()), flags);
}

// Runs one XDP program with args as its packet; args comes back as the program left it.
// Returns 0 or a negative errno; -EPROTO when the program did not take the packet.
inline int run(const bpf_program *prog, bloom_args &args)
{
  LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = &args, .data_out = &args,
              .data_size_in = sizeof(args), .data_size_out = sizeof(args));
  int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);
  return err ? err : opts.retval == XDP_PASS ? 0 : -EPROTO;
}

// One push or peek of a value of any size by progs/bloom_filter.c's raw_run.
class RawProgram {
public:
  explicit RawProgram(const bpf::MapSpec &spec) : x_skel("bloom_filter")
  {
    bpf_map *raw = x_skel->maps.raw;
    bpf::check(bpf_map__set_value_size(raw, spec.value_size), "set value size of", "raw");
    bpf::check(bpf_map__set_max_entries(raw, spec.max_entries), "set max_entries of", "raw");
    bpf::check(bpf_map__set_map_extra(raw, spec.extra), "set hash functions of", "raw");
    bpf::check(bpf_map__set_map_flags(raw, spec.flags), "set flags of", "raw");
    x_skel.load();
  }
  int push(const Value &value, __u64 flags = BPF_ANY) { return op(BLOOM_PUSH, value, flags); }
  int peek(const Value &value) { return op(BLOOM_PEEK, value, 0); }
  int map_fd() const { return bpf_map__fd(x_skel->maps.raw); }

private:
  int op(bloom_op op, const Value &value, __u64 flags)
  {
    memcpy(x_skel->bss->raw_value, value.data(), value.size());
    x_skel->bss->raw_op = op;
    x_skel->bss->raw_flags = flags;
    bloom_args packet = {};
    int err = run(x_skel->progs.raw_run, packet);
    return err ? err : static_cast<int>(x_skel->bss->raw_result);
  }

  bpf::Skeleton<bloom_filter> x_skel;
};

} // namespace bloom
