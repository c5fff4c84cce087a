// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What an LPM trie must do, one named check a claim. The functional tests run them on the kernel's
// trie, by system calls and by helpers; the mutation test runs them on tries that are wrong.
#pragma once

#include <optional>

#include "prog_tests/lpm_trie_key.h"
#include "prog_tests/model.h"

namespace lpm_test
{

// One random operation on the trie and its model.
struct Op {
  enum Kind { update, lookup, erase, iterate } kind;
  Bytes key;
  uint64_t value;
  uint64_t flags;
  std::string text() const;
};

// Random keys of data_size bytes that share long prefixes, so that nodes split, join and revive.
Op random_op(model::Random &random, uint32_t data_size);
// Does ops to map and to a model of it; says where they part.
std::optional<std::string> compare_with_model(map_test::MapOps &map, const std::vector<Op> &ops);

const std::vector<map_test::Check> &checks();

} // namespace lpm_test
