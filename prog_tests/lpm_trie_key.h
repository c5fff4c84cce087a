// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Keys of an LPM trie as bytes, and the plain list of prefixes that the trie is compared with.
#pragma once

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "prog_tests/map_ops.h"

namespace lpm_test
{

using map_test::Bytes;

// prefix_len: bits, any number, also one that the trie refuses.
inline Bytes make_key(uint32_t prefix_len, const Bytes &data)
{
  Bytes key(sizeof(prefix_len) + data.size());
  memcpy(key.data(), &prefix_len, sizeof(prefix_len));
  std::copy(data.begin(), data.end(), key.begin() + sizeof(prefix_len));
  return key;
}

inline uint32_t prefix_len(const Bytes &key)
{
  uint32_t length;
  memcpy(&length, key.data(), sizeof(length));
  return length;
}

inline const uint8_t *data_of(const Bytes &key) { return key.data() + sizeof(uint32_t); }

inline bool bit_at(const uint8_t *data, size_t bit) { return data[bit / 8] >> (7 - bit % 8) & 1; }

// How many leading bits a and b share, at most limit.
inline uint32_t common_bits(const uint8_t *a, const uint8_t *b, uint32_t limit)
{
  uint32_t bits = 0;
  while (bits + 8 <= limit && a[bits / 8] == b[bits / 8])
    bits += 8;
  while (bits < limit && bit_at(a, bits) == bit_at(b, bits))
    bits++;
  return bits;
}

// "10.0.0.0/8" or "2001:db8::/32".
inline Bytes ip(const std::string &text)
{
  size_t slash = text.find('/');
  std::string address = text.substr(0, slash);
  bool v6 = address.find(':') != std::string::npos;
  Bytes data(v6 ? 16 : 4);
  if (inet_pton(v6 ? AF_INET6 : AF_INET, address.c_str(), data.data()) != 1)
    throw std::invalid_argument("not an address: " + text);
  return make_key(static_cast<uint32_t>(std::stoul(text.substr(slash + 1))), data);
}

inline bpf::MapSpec trie_spec(uint32_t data_size, uint32_t max_entries)
{
  return {.type = BPF_MAP_TYPE_LPM_TRIE,
          .key_size = static_cast<uint32_t>(sizeof(uint32_t)) + data_size,
          .value_size = map_test::value_size,
          .max_entries = max_entries,
          .flags = BPF_F_NO_PREALLOC};
}

// What a trie should be: a list of prefixes, searched from end to end.
class Model {
public:
  Model(uint32_t data_size, uint32_t max_entries)
      : x_max_bits(data_size * 8), x_max_entries(max_entries)
  {
  }

  int update(const Bytes &key, uint64_t value, uint64_t flags)
  {
    if (flags > BPF_EXIST || prefix_len(key) > x_max_bits)
      return -EINVAL;
    Entry *entry = find(key);
    if (entry && flags == BPF_NOEXIST)
      return -EEXIST;
    if (!entry && flags == BPF_EXIST)
      return -ENOENT;
    if (!entry && x_entries.size() == x_max_entries)
      return -ENOSPC;
    if (entry)
      *entry = {key, value};
    else
      x_entries.push_back({key, value});
    return 0;
  }

  // The longest stored prefix that is no longer than the key's own.
  int lookup(const Bytes &key, uint64_t &value) const
  {
    const Entry *best = nullptr;
    if (prefix_len(key) > x_max_bits)
      return -ENOENT;
    for (const Entry &entry : x_entries)
      if (covers(entry.key, key) && (!best || prefix_len(entry.key) > prefix_len(best->key)))
        best = &entry;
    if (!best)
      return -ENOENT;
    value = best->value;
    return 0;
  }

  int erase(const Bytes &key)
  {
    if (prefix_len(key) > x_max_bits)
      return -EINVAL;
    Entry *entry = find(key);
    if (!entry)
      return -ENOENT;
    x_entries.erase(x_entries.begin() + (entry - x_entries.data()));
    return 0;
  }

  // In the trie's order: what is more specific first, a 0 bit before a 1 bit.
  std::vector<Bytes> keys() const
  {
    std::vector<Bytes> keys;
    for (const Entry &entry : x_entries)
      keys.push_back(entry.key);
    std::sort(keys.begin(), keys.end(), before);
    return keys;
  }
  size_t size() const { return x_entries.size(); }

private:
  struct Entry {
    Bytes key;
    uint64_t value;
  };

  static bool covers(const Bytes &prefix, const Bytes &key)
  {
    uint32_t length = prefix_len(prefix);
    return length <= prefix_len(key) &&
           common_bits(data_of(prefix), data_of(key), length) == length;
  }
  static bool before(const Bytes &a, const Bytes &b)
  {
    uint32_t shorter = std::min(prefix_len(a), prefix_len(b));
    uint32_t common = common_bits(data_of(a), data_of(b), shorter);
    if (common == shorter)
      return prefix_len(a) > prefix_len(b);
    return !bit_at(data_of(a), common);
  }
  Entry *find(const Bytes &key)
  {
    for (Entry &entry : x_entries)
      if (prefix_len(entry.key) == prefix_len(key) && covers(entry.key, key))
        return &entry;
    return nullptr;
  }

  uint32_t x_max_bits;
  uint32_t x_max_entries;
  std::vector<Entry> x_entries;
};

} // namespace lpm_test
