// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a hash map must do, one named check a claim. The functional tests run them on the kernel's
// map, preallocated and not, by system calls and by helpers; the mutation test on maps that are
// wrong.
#pragma once

#include <map>
#include <optional>

#include "prog_tests/map_ops.h"
#include "prog_tests/model.h"

namespace hash_test
{

using map_test::Bytes;

inline bpf::MapSpec hash_spec(uint32_t key_size, uint32_t max_entries, uint32_t flags = 0)
{
  return {.type = BPF_MAP_TYPE_HASH,
          .key_size = key_size,
          .value_size = map_test::value_size,
          .max_entries = max_entries,
          .flags = flags};
}

// number in the first bytes of a key of key_size bytes, the rest zero.
Bytes make_key(uint32_t key_size, uint64_t number);

// What a hash map should be.
class Model {
public:
  explicit Model(uint32_t max_entries) : x_max_entries(max_entries) {}
  int update(const Bytes &key, uint64_t value, uint64_t flags);
  int lookup(const Bytes &key, uint64_t &value) const;
  int erase(const Bytes &key) { return x_entries.erase(key) ? 0 : -ENOENT; }
  const std::map<Bytes, uint64_t> &entries() const { return x_entries; }

private:
  uint32_t x_max_entries;
  std::map<Bytes, uint64_t> x_entries;
};

struct Op {
  enum Kind { update, lookup, erase, iterate } kind;
  Bytes key;
  uint64_t value;
  uint64_t flags;
  std::string text() const;
};

Op random_op(model::Random &random, uint32_t key_size, uint32_t nr_keys);
// Does ops to map and to a model of it; says where they part.
std::optional<std::string> compare_with_model(map_test::MapOps &map, const std::vector<Op> &ops);

// flags: 0 or BPF_F_NO_PREALLOC, put into the spec of every check.
std::vector<map_test::Check> checks(uint32_t flags);

} // namespace hash_test
