// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Random operations on an LPM trie, and the comparison with the plain list of its prefixes.
#include "prog_tests/lpm_trie_checks.h"

namespace lpm_test
{

using map_test::absent;
using map_test::MapOps;

static std::string hex(const Bytes &key)
{
  std::string text;
  for (size_t i = sizeof(uint32_t); i < key.size(); i++)
    text += fmt::format("{:02x}", key[i]);
  return fmt::format("{}/{}", text, prefix_len(key));
}

std::string Op::text() const
{
  switch (kind) {
  case update:
    return fmt::format("update {} = {} flags {:#x}", hex(key), value, flags);
  case lookup:
    return "lookup " + hex(key);
  case erase:
    return "erase " + hex(key);
  default:
    return "iterate";
  }
}

// Few different bytes and one flipped bit: most keys are prefixes of, or neighbours to, others.
static Bytes random_key(model::Random &random, uint32_t data_size)
{
  Bytes data(data_size, random.chance(80) ? 0x00 : 0xff);
  for (uint64_t flips = random.below(3); flips; flips--) {
    uint64_t bit = random.below(data_size * 8);
    data[bit / 8] ^= static_cast<uint8_t>(0x80 >> bit % 8);
  }
  uint32_t length = static_cast<uint32_t>(random.below(data_size * 8 + 1));
  if (random.chance(20))
    length = data_size * 8;
  if (random.chance(2))
    length = data_size * 8 + 1 + static_cast<uint32_t>(random.below(3));
  return make_key(length, data);
}

Op random_op(model::Random &random, uint32_t data_size)
{
  Op op{Op::lookup, random_key(random, data_size), random.next() >> 1, BPF_ANY};
  uint64_t dice = random.below(100);
  if (dice < 35) {
    op.kind = Op::update;
    op.flags = random.chance(2) ? random.next() : random.below(3);
  } else if (dice < 60) {
    op.kind = Op::erase;
  } else if (dice < 63) {
    op.kind = Op::iterate;
  }
  return op;
}

static std::optional<std::string> differ(size_t index, const Op &op, const std::string &map,
                                         const std::string &model)
{
  if (map == model)
    return std::nullopt;
  return fmt::format("operation {} ({}): map says {}, model says {}", index, op.text(), map, model);
}

static std::string answer(int err, uint64_t value)
{
  return err ? fmt::format("error {}", err) : fmt::format("{}", value);
}

static std::string list(const std::vector<Bytes> &keys)
{
  std::string text;
  for (const Bytes &key : keys)
    text += hex(key) + " ";
  return text;
}

static std::optional<std::string> step(MapOps &map, Model &model, size_t index, const Op &op)
{
  uint64_t value = 0, expected = 0;
  switch (op.kind) {
  case Op::update: {
    int err = map.update(op.key, op.value, op.flags);
    return differ(index, op, answer(err, 0), answer(model.update(op.key, op.value, op.flags), 0));
  }
  case Op::lookup: {
    int err = map.lookup(op.key, value);
    int model_err = model.lookup(op.key, expected);
    return differ(index, op, answer(err, value), answer(model_err, expected));
  }
  case Op::erase:
    return differ(index, op, answer(map.erase(op.key), 0), answer(model.erase(op.key), 0));
  default:
    return differ(index, op, list(map_test::keys_of(map, model.size() + 1)), list(model.keys()));
  }
}

std::optional<std::string> compare_with_model(MapOps &map, const std::vector<Op> &ops)
{
  Model model(map.spec().key_size - 4, map.spec().max_entries);
  for (size_t i = 0; i < ops.size(); i++)
    if (auto reason = step(map, model, i, ops[i]))
      return reason;
  return step(map, model, ops.size(), {Op::iterate, {}, 0, 0});
}

} // namespace lpm_test
