// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Keys and options that the lpm-trie benches share.
#pragma once

#include <bpf/bpf.h>

#include <cstring>

#include "tools/bench/test_run_bench.h"

namespace lpm
{

struct Key {
  uint32_t prefix_len;
  uint32_t data;
};

// Key number -> its prefix; mirrors key_data() in progs/lpm_trie_bench.c.
inline Key make_key(uint64_t i, uint32_t prefix_len)
{
  uint32_t number = static_cast<uint32_t>(i), rest = prefix_len % 8, whole = prefix_len - rest;
  if (rest) {
    uint32_t low = number & ((1U << whole) - 1);
    number = low | (number >> whole) << (whole + 8 - rest);
  }
  return {prefix_len, number};
}

inline bench::ElementWriter key_writer(uint32_t prefix_len)
{
  return [=](uint64_t i, uint8_t *out) {
    Key key = make_key(i, prefix_len);
    memcpy(out, &key, sizeof(key));
  };
}

// Puts the first nr keys into an empty trie. Throws bpf::error.
inline void fill(int map_fd, uint64_t nr, uint32_t prefix_len)
{
  bench::fill_map(map_fd, "trie", nr, sizeof(Key), sizeof(uint32_t), key_writer(prefix_len),
                  [](uint64_t i, uint8_t *out) { memcpy(out, &i, sizeof(uint32_t)); });
}

inline std::vector<bench::Option> options()
{
  return {
      bench::number("nr_entries", 1, 100000000, 10000, "prefixes in the trie"),
      bench::number("prefix_len", 1, 32, 32, "bits of each prefix"),
      bench::flag("random", "access keys at random instead of in order"),
  };
}

inline void validate(const bench::Params &params)
{
  uint64_t prefix_len = params.number("prefix_len"), nr_entries = params.number("nr_entries");
  if (nr_entries > uint64_t(1) << prefix_len)
    throw bench::usage_error("--prefix_len " + std::to_string(prefix_len) +
                             " cannot tell --nr_entries " + std::to_string(nr_entries) +
                             " keys apart");
}

// insert, delete and free go through all keys in order, from one producer.
inline void validate_once(const bench::Params &params)
{
  validate(params);
  bench::require_one_producer(params, "a benchmark of insert, delete or free");
  if (params.flag("random"))
    throw bench::usage_error("--random does not go with insert, delete or free");
}

} // namespace lpm
