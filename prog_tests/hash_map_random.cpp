// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Random operations on a hash map, and the comparison with std::map. Iteration order is the
// kernel's own, so iterations are compared as sets.
#include <algorithm>

#include "prog_tests/hash_map_checks.h"

namespace hash_test
{

using map_test::MapOps;

Bytes make_key(uint32_t key_size, uint64_t number)
{
  Bytes key(key_size);
  for (size_t i = 0; i < key.size() && i < sizeof(number); i++)
    key[i] = static_cast<uint8_t>(number >> 8 * i);
  return key;
}

int Model::update(const Bytes &key, uint64_t value, uint64_t flags)
{
  if (flags > BPF_EXIST)
    return -EINVAL;
  bool there = x_entries.count(key);
  if (there && flags == BPF_NOEXIST)
    return -EEXIST;
  if (!there && flags == BPF_EXIST)
    return -ENOENT;
  if (!there && x_entries.size() == x_max_entries)
    return -E2BIG;
  x_entries[key] = value;
  return 0;
}

int Model::lookup(const Bytes &key, uint64_t &value) const
{
  auto found = x_entries.find(key);
  if (found == x_entries.end())
    return -ENOENT;
  value = found->second;
  return 0;
}

static std::string hex(const Bytes &key)
{
  std::string text;
  for (uint8_t byte : key)
    text += fmt::format("{:02x}", byte);
  return text;
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

// Keys differ in any one byte, the last one too.
static Bytes random_key(model::Random &random, uint32_t key_size, uint32_t nr_keys)
{
  uint64_t number = random.below(nr_keys);
  Bytes key(key_size);
  key[number % key_size] = static_cast<uint8_t>(number / key_size + 1);
  return key;
}

Op random_op(model::Random &random, uint32_t key_size, uint32_t nr_keys)
{
  Op op{Op::lookup, random_key(random, key_size, nr_keys), random.next() >> 1, BPF_ANY};
  uint64_t dice = random.below(100);
  if (dice < 45) {
    op.kind = Op::update;
    op.flags = random.chance(3) ? random.next() << 3 | 8 : random.below(3);
  } else if (dice < 65) {
    op.kind = Op::erase;
  } else if (dice < 68) {
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

static std::optional<std::string> iterate(MapOps &map, const Model &model, size_t index,
                                          const Op &op)
{
  std::string actual, expected;
  std::vector<Bytes> keys = map_test::keys_of(map, model.entries().size() + 1);
  std::sort(keys.begin(), keys.end());
  for (const Bytes &key : keys)
    actual += hex(key) + " ";
  for (const auto &[key, value] : model.entries())
    expected += hex(key) + " ";
  return differ(index, op, actual, expected);
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
    return iterate(map, model, index, op);
  }
}

std::optional<std::string> compare_with_model(MapOps &map, const std::vector<Op> &ops)
{
  Model model(map.spec().max_entries);
  for (size_t i = 0; i < ops.size(); i++)
    if (auto reason = step(map, model, i, ops[i]))
      return reason;
  return step(map, model, ops.size(), {Op::iterate, {}, 0, 0});
}

} // namespace hash_test
