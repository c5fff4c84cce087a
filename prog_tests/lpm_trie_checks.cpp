// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The checks of lpm_trie_checks.h. Each starts from an empty trie; `map` and `out` are what every
// check is handed.
#include "prog_tests/lpm_trie_checks.h"

namespace lpm_test
{

using map_test::absent;
using map_test::Check;
using map_test::Findings;
using map_test::keys_of;
using map_test::MapOps;
using map_test::value_of;

static constexpr uint64_t any = BPF_ANY, noexist = BPF_NOEXIST, exist = BPF_EXIST;

static void longest_prefix_wins_ipv4(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("192.168.0.0/16"), 16, any), 0);
  EXPECT(map.update(ip("192.168.0.0/24"), 24, any), 0);
  EXPECT(map.update(ip("192.168.128.0/24"), 128, any), 0);
  EXPECT(map.update(ip("192.168.1.0/24"), 1, any), 0);
  EXPECT(map.update(ip("192.168.0.0/23"), 23, any), 0);
  EXPECT(value_of(map, ip("192.168.0.7/32")), 24);
  EXPECT(value_of(map, ip("192.168.1.7/32")), 1);
  EXPECT(value_of(map, ip("192.168.128.1/32")), 128);
  EXPECT(value_of(map, ip("192.168.2.1/32")), 16);
  EXPECT(value_of(map, ip("192.169.0.1/32")), absent);
  EXPECT(value_of(map, ip("10.0.0.1/32")), absent);
}

static void longest_prefix_wins_ipv6(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("2a00:1450:4001:814::/64"), 64, any), 0);
  EXPECT(map.update(ip("2a00:1450:4001::/48"), 48, any), 0);
  EXPECT(map.update(ip("2a00:1450:4001:814::200e/128"), 128, any), 0);
  EXPECT(value_of(map, ip("2a00:1450:4001:814::200e/128")), 128);
  EXPECT(value_of(map, ip("2a00:1450:4001:814::200f/128")), 64);
  EXPECT(value_of(map, ip("2a00:1450:4001:815::1/128")), 48);
  EXPECT(value_of(map, ip("2a00:1450:4002:814::1/128")), absent);
}

static void lookup_in_empty_trie(MapOps &map, Findings &out)
{
  EXPECT(value_of(map, ip("0.0.0.0/0")), absent);
  EXPECT(value_of(map, ip("10.0.0.1/32")), absent);
}

static void erase_unknown(MapOps &map, Findings &out)
{
  EXPECT(map.erase(ip("192.168.0.0/16")), -ENOENT);
  EXPECT(map.update(ip("192.168.0.0/16"), 1, any), 0);
  EXPECT(map.erase(ip("192.168.0.0/15")), -ENOENT);
  EXPECT(map.erase(ip("192.168.0.0/17")), -ENOENT);
  EXPECT(map.erase(ip("192.169.0.0/16")), -ENOENT);
  EXPECT(value_of(map, ip("192.168.0.1/32")), 1);
}

// A leaf, a leaf whose artificial parent must go with it, an inner node, the root.
static void erase_falls_back(MapOps &map, Findings &out)
{
  const Bytes address = ip("192.168.1.7/32");
  EXPECT(map.update(ip("192.168.0.0/16"), 16, any), 0);
  EXPECT(map.update(ip("192.168.0.0/24"), 24, any), 0);
  EXPECT(map.update(ip("192.168.1.0/24"), 124, any), 0);
  EXPECT(map.update(ip("192.168.1.0/28"), 28, any), 0);
  EXPECT(value_of(map, address), 28);
  EXPECT(map.erase(ip("192.168.1.0/28")), 0);
  EXPECT(value_of(map, address), 124);
  EXPECT(map.erase(ip("192.168.1.0/24")), 0);
  EXPECT(value_of(map, address), 16);
  EXPECT(value_of(map, ip("192.168.0.7/32")), 24);
  EXPECT(map.erase(ip("192.168.0.0/16")), 0);
  EXPECT(value_of(map, address), absent);
  EXPECT(value_of(map, ip("192.168.0.7/32")), 24);
  EXPECT(map.erase(ip("192.168.0.0/24")), 0);
  EXPECT(keys_of(map, 9).size(), 0);
}

// A node with two children stays as an artificial one; it must answer nothing and not be deletable.
static void erase_node_with_two_children(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("10.0.0.0/8"), 8, any), 0);
  EXPECT(map.update(ip("10.0.0.0/16"), 16, any), 0);
  EXPECT(map.update(ip("10.128.0.0/16"), 128, any), 0);
  EXPECT(map.erase(ip("10.0.0.0/8")), 0);
  EXPECT(map.erase(ip("10.0.0.0/8")), -ENOENT);
  EXPECT(value_of(map, ip("10.64.0.0/32")), absent);
  EXPECT(value_of(map, ip("10.0.1.0/32")), 16);
  EXPECT(value_of(map, ip("10.128.1.0/32")), 128);
  EXPECT(map.erase(ip("10.0.0.0/16")), 0);
  EXPECT(value_of(map, ip("10.128.1.0/32")), 128);
}

static void next_key_of_empty_trie(MapOps &map, Findings &out)
{
  Bytes key;
  EXPECT(map.next_key(nullptr, key), -ENOENT);
  Bytes some = ip("10.0.0.0/8");
  EXPECT(map.next_key(&some, key), -ENOENT);
}

static void next_key_is_postorder(MapOps &map, Findings &out)
{
  for (const char *text : {"192.168.0.0/16", "192.168.128.0/24", "192.168.0.0/24", "192.168.1.0/24",
                           "192.168.1.128/25", "10.0.0.0/8"})
    EXPECT(map.update(ip(text), 1, any), 0);
  std::vector<Bytes> expected;
  for (const char *text : {"10.0.0.0/8", "192.168.0.0/24", "192.168.1.128/25", "192.168.1.0/24",
                           "192.168.128.0/24", "192.168.0.0/16"})
    expected.push_back(ip(text));
  EXPECT(keys_of(map, 20) == expected, true);
}

static void next_key_of_unknown_restarts(MapOps &map, Findings &out)
{
  Bytes first = ip("192.168.0.0/24"), key;
  EXPECT(map.update(ip("192.168.0.0/16"), 16, any), 0);
  EXPECT(map.update(first, 24, any), 0);
  for (const char *text : {"192.168.0.0/22", "192.168.0.0/25", "10.0.0.0/8", "192.168.1.0/24"}) {
    Bytes unknown = ip(text);
    key.clear();
    EXPECT(map.next_key(&unknown, key), 0);
    EXPECT(key == first, true);
  }
  Bytes too_long = make_key(33, {192, 168, 0, 0});
  EXPECT(map.next_key(&too_long, key), 0);
  EXPECT(key == first, true);
  Bytes last = ip("192.168.0.0/16");
  EXPECT(map.next_key(&last, key), -ENOENT);
}

static void noexist_adds_once(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("10.0.0.0/8"), 1, noexist), 0);
  EXPECT(map.update(ip("10.0.0.0/8"), 2, noexist), -EEXIST);
  EXPECT(value_of(map, ip("10.1.2.3/32")), 1);
  EXPECT(map.update(ip("10.0.0.0/9"), 3, noexist), 0);
  EXPECT(value_of(map, ip("10.1.2.3/32")), 3);
}

static void exist_overwrites_only(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("10.0.0.0/8"), 1, exist), -ENOENT);
  EXPECT(map.update(ip("10.0.0.0/8"), 1, any), 0);
  EXPECT(map.update(ip("10.0.0.0/8"), 2, exist), 0);
  EXPECT(value_of(map, ip("10.1.2.3/32")), 2);
  EXPECT(map.update(ip("10.0.0.0/8"), 3, any), 0);
  EXPECT(value_of(map, ip("10.1.2.3/32")), 3);
  EXPECT(map.update(ip("10.0.0.0/9"), 4, exist), -ENOENT);
  EXPECT(map.update(ip("10.0.0.0/7"), 4, exist), -ENOENT);
  EXPECT(map.update(ip("11.0.0.0/8"), 4, exist), -ENOENT);
}

// An artificial node, born by a split or by a deletion, does not count as existing.
static void flags_on_artificial_node(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("10.0.0.0/16"), 1, any), 0);
  EXPECT(map.update(ip("10.1.0.0/16"), 2, any), 0);
  EXPECT(map.update(ip("10.0.0.0/15"), 3, exist), -ENOENT);
  EXPECT(map.update(ip("10.0.0.0/15"), 3, noexist), 0);
  EXPECT(map.update(ip("10.0.0.0/15"), 4, noexist), -EEXIST);
  EXPECT(map.erase(ip("10.0.0.0/15")), 0);
  EXPECT(map.update(ip("10.0.0.0/15"), 5, exist), -ENOENT);
  EXPECT(map.update(ip("10.0.0.0/15"), 6, noexist), 0);
  EXPECT(map.update(ip("10.0.0.0/15"), 7, exist), 0);
  EXPECT(keys_of(map, 9).size(), 3);
}

static void unknown_flags_refused(MapOps &map, Findings &out)
{
  const Bytes key = ip("10.0.0.0/8");
  for (uint64_t flags : std::vector<uint64_t>{BPF_F_LOCK, noexist | exist, 8, 1ULL << 31,
                                              1ULL << 32, 1ULL << 32 | exist, 1ULL << 63, ~0ULL})
    EXPECT(map.update(key, 1, flags), -EINVAL);
  EXPECT(value_of(map, key), absent);
}

static void full_trie(MapOps &map, Findings &out)
{
  for (uint64_t i = 0; i < 3; i++)
    EXPECT(map.update(make_key(8, {uint8_t(i), 0, 0, 0}), i, any), 0);
  EXPECT(map.update(ip("3.0.0.0/8"), 3, any), -ENOSPC);
  EXPECT(map.update(ip("3.0.0.0/8"), 3, noexist), -ENOSPC);
  EXPECT(map.update(ip("3.0.0.0/8"), 3, exist), -ENOENT);
  EXPECT(map.update(ip("1.0.0.0/8"), 11, exist), 0);
  EXPECT(map.update(ip("2.0.0.0/8"), 12, any), 0);
  EXPECT(map.update(ip("2.0.0.0/8"), 13, noexist), -EEXIST);
  EXPECT(value_of(map, ip("1.2.3.4/32")), 11);
  EXPECT(value_of(map, ip("2.2.3.4/32")), 12);
  EXPECT(value_of(map, ip("3.2.3.4/32")), absent);
}

// Nothing that fails or replaces may use up room, and what is deleted gives its room back.
static void capacity_is_not_leaked(MapOps &map, Findings &out)
{
  const Bytes left = ip("10.0.0.0/16"), right = ip("10.1.0.0/16"), parent = ip("10.0.0.0/15");
  for (int i = 0; i < 8; i++) {
    EXPECT(map.update(left, 1, any), 0);
    EXPECT(map.update(right, 2, any), 0);
    EXPECT(map.update(left, 3, noexist), -EEXIST);
    EXPECT(map.update(parent, 4, noexist), 0);
    EXPECT(map.update(ip("12.0.0.0/8"), 5, any), -ENOSPC);
    EXPECT(map.update(parent, 6, exist), 0);
    EXPECT(map.erase(parent), 0);
    EXPECT(map.update(ip("12.0.0.0/8"), 5, exist), -ENOENT);
    EXPECT(map.update(ip("12.0.0.0/8"), 5, any), 0);
    EXPECT(map.update(parent, 7, any), -ENOSPC);
    EXPECT(map.erase(ip("12.0.0.0/8")), 0);
    EXPECT(map.erase(ip("12.0.0.0/8")), -ENOENT);
    EXPECT(map.erase(left), 0);
  }
}

static void prefix_longer_than_key(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("0.0.0.0/0"), 1, any), 0);
  for (uint32_t length : {33U, 64U, 1U << 31, ~0U}) {
    EXPECT(map.update(make_key(length, {1, 2, 3, 4}), 2, any), -EINVAL);
    EXPECT(map.erase(make_key(length, {1, 2, 3, 4})), -EINVAL);
    EXPECT(value_of(map, make_key(length, {1, 2, 3, 4})), absent);
  }
  EXPECT(keys_of(map, 9).size(), 1);
}

static void default_route(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("10.0.0.0/8"), 8, any), 0);
  EXPECT(map.update(make_key(0, {9, 9, 9, 9}), 1, any), 0);
  EXPECT(map.update(ip("0.0.0.0/0"), 2, noexist), -EEXIST);
  for (const char *text : {"0.0.0.0/0", "0.0.0.0/32", "255.255.255.255/32", "128.0.0.0/1"})
    EXPECT(value_of(map, ip(text)), 1);
  EXPECT(value_of(map, ip("10.1.1.1/32")), 8);
  EXPECT(map.erase(ip("0.0.0.0/0")), 0);
  EXPECT(map.erase(ip("0.0.0.0/0")), -ENOENT);
  EXPECT(value_of(map, ip("11.0.0.0/32")), absent);
  EXPECT(value_of(map, ip("10.1.1.1/32")), 8);
}

// Never an entry that is longer than the prefix asked for.
static void lookup_of_shorter_prefix(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("10.0.0.0/8"), 8, any), 0);
  EXPECT(map.update(ip("10.1.0.0/16"), 16, any), 0);
  EXPECT(map.update(ip("10.1.1.0/24"), 24, any), 0);
  EXPECT(value_of(map, ip("10.1.1.1/7")), absent);
  EXPECT(value_of(map, ip("10.1.1.1/8")), 8);
  EXPECT(value_of(map, ip("10.1.1.1/15")), 8);
  EXPECT(value_of(map, ip("10.1.1.1/16")), 16);
  EXPECT(value_of(map, ip("10.1.1.1/23")), 16);
  EXPECT(value_of(map, ip("10.1.1.1/24")), 24);
  EXPECT(value_of(map, ip("10.1.1.1/31")), 24);
  EXPECT(value_of(map, ip("10.1.1.1/0")), absent);
}

// Bits behind the prefix do not tell entries apart, and are handed back as they were stored last.
static void bits_behind_the_prefix(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("10.1.2.3/8"), 1, any), 0);
  EXPECT(map.update(ip("10.7.7.7/8"), 2, noexist), -EEXIST);
  std::vector<Bytes> keys = keys_of(map, 9);
  EXPECT(keys == std::vector<Bytes>{ip("10.1.2.3/8")}, true);
  EXPECT(map.update(ip("10.7.7.7/8"), 2, exist), 0);
  keys = keys_of(map, 9);
  EXPECT(keys == std::vector<Bytes>{ip("10.7.7.7/8")}, true);
  EXPECT(value_of(map, ip("10.200.0.1/32")), 2);
  EXPECT(map.erase(ip("10.255.255.255/8")), 0);
  EXPECT(keys_of(map, 9).size(), 0);
}

static void overwrite_keeps_children(MapOps &map, Findings &out)
{
  EXPECT(map.update(ip("10.0.0.0/8"), 8, any), 0);
  EXPECT(map.update(ip("10.1.0.0/16"), 16, any), 0);
  EXPECT(map.update(ip("10.200.0.0/16"), 200, any), 0);
  EXPECT(map.update(ip("10.0.0.0/8"), 9, any), 0);
  EXPECT(value_of(map, ip("10.1.0.1/32")), 16);
  EXPECT(value_of(map, ip("10.200.0.1/32")), 200);
  EXPECT(value_of(map, ip("10.100.0.1/32")), 9);
  EXPECT(keys_of(map, 9).size(), 3);
}

// Of a key of any size: a lookup that parts from the stored prefixes at bit b finds the one of b
// bits. Every word that the kernel compares by, and every border between two, is crossed.
static void every_bit_counts(MapOps &map, Findings &out)
{
  const uint32_t bits = (map.spec().key_size - 4) * 8;
  const uint32_t step = bits > 256 ? 13 : 1;
  Bytes data(bits / 8);
  for (size_t i = 0; i < data.size(); i++)
    data[i] = static_cast<uint8_t>(i * 37 + 0x5a);
  for (uint32_t length = 0; length <= bits; length++)
    EXPECT(map.update(make_key(length, data), length, any), 0);
  EXPECT(value_of(map, make_key(bits, data)), bits);
  for (uint32_t bit = 0; bit<bits; bit += bit + 66> bits ? 1 : step) {
    Bytes other = data;
    other[bit / 8] ^= static_cast<uint8_t>(0x80 >> bit % 8);
    EXPECT(value_of(map, make_key(bits, other)), bit);
    EXPECT(value_of(map, make_key(bit, other)), bit);
  }
  EXPECT(keys_of(map, bits + 2).size(), bits + 1);
}

// Names as keys, of differing length, some a prefix of others. The trailing NUL belongs to the key.
static void strings_as_keys(MapOps &map, Findings &out)
{
  const std::vector<std::string> sorted = {"/bin",  "/boot", "/dev",     "/dev/null", "/etc",
                                           "/etc/", "/usr",  "/usr/bin", "/var"};
  auto key_of = [](const std::string &name) {
    Bytes data(name.begin(), name.end());
    uint32_t length = static_cast<uint32_t>(name.size() + 1) * 8;
    data.resize(20);
    return make_key(length, data);
  };
  for (size_t i = sorted.size(); i-- > 0;)
    EXPECT(map.update(key_of(sorted[i]), i, noexist), 0);
  for (size_t i = 0; i < sorted.size(); i++) {
    EXPECT(map.update(key_of(sorted[i]), 9, noexist), -EEXIST);
    EXPECT(map.update(key_of(sorted[i]), 100 + i, exist), 0);
    EXPECT(value_of(map, key_of(sorted[i])), 100 + i);
  }
  EXPECT(map.update(key_of("/tmp"), 1, any), -ENOSPC);
  for (size_t i = 0; i < sorted.size(); i++) {
    Bytes key;
    EXPECT(map.next_key(nullptr, key), 0);
    EXPECT(key == key_of(sorted[i]), true);
    EXPECT(map.erase(key), 0);
  }
  EXPECT(keys_of(map, 9).size(), 0);
}

// Whole numbers in big endian come out ascending: taking the first away each time sorts them.
static void numbers_sort(MapOps &map, Findings &out)
{
  constexpr uint32_t nr = 4096;
  auto key_of = [](uint32_t number) {
    return make_key(32, {0, 0, static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)});
  };
  for (uint32_t i = 0; i < nr; i++)
    EXPECT(map.update(key_of(i * 1597 % nr), i, noexist), 0);
  EXPECT(map.update(key_of(nr), 0, any), -ENOSPC);
  for (uint32_t i = 0; i < nr; i++) {
    Bytes key;
    if (!EXPECT(map.next_key(nullptr, key), 0) || !EXPECT(key == key_of(i), true))
      return;
    EXPECT(map.erase(key), 0);
  }
  EXPECT(keys_of(map, 9).size(), 0);
}

static void random_ops_equal_model(MapOps &map, Findings &out)
{
  uint32_t data_size = map.spec().key_size - 4;
  model::Random random(model::seed_of("random_ops_equal_model"));
  std::vector<Op> ops;
  for (int i = 0; i < 1500; i++)
    ops.push_back(random_op(random, data_size));
  if (auto reason = compare_with_model(map, ops))
    out.add(*reason + fmt::format(" (--seed {})", test::seed()));
}

const std::vector<Check> &checks()
{
  static const std::vector<Check> all = {
      // subtests of: lpm_trie_ops lpm_trie_ops_bpf
      // covers: lpm T2
      {"longest_prefix_wins_ipv4", trie_spec(4, 16), longest_prefix_wins_ipv4},
      // covers: lpm T2
      {"longest_prefix_wins_ipv6", trie_spec(16, 16), longest_prefix_wins_ipv6},
      // covers: lpm T2
      {"lookup_in_empty_trie", trie_spec(4, 16), lookup_in_empty_trie},
      // covers: lpm T3
      {"erase_unknown", trie_spec(4, 16), erase_unknown},
      // covers: lpm T3
      {"erase_falls_back", trie_spec(4, 16), erase_falls_back},
      // covers: lpm T3
      {"erase_node_with_two_children", trie_spec(4, 16), erase_node_with_two_children},
      // covers: lpm T4
      {"next_key_of_empty_trie", trie_spec(4, 16), next_key_of_empty_trie},
      // covers: lpm T4
      {"next_key_is_postorder", trie_spec(4, 16), next_key_is_postorder},
      // covers: lpm T4, lpm N2
      {"next_key_of_unknown_restarts", trie_spec(4, 16), next_key_of_unknown_restarts},
      // covers: lpm T6
      {"noexist_adds_once", trie_spec(4, 16), noexist_adds_once},
      // covers: lpm T6
      {"exist_overwrites_only", trie_spec(4, 16), exist_overwrites_only},
      // covers: lpm T6
      {"flags_on_artificial_node", trie_spec(4, 16), flags_on_artificial_node},
      // covers: lpm T6, lpm N8
      {"unknown_flags_refused", trie_spec(4, 16), unknown_flags_refused},
      // covers: lpm T7
      {"full_trie", trie_spec(4, 3), full_trie},
      // covers: lpm N7
      {"capacity_is_not_leaked", trie_spec(4, 3), capacity_is_not_leaked},
      // covers: lpm N2
      {"prefix_longer_than_key", trie_spec(4, 16), prefix_longer_than_key},
      // covers: lpm N3
      {"default_route", trie_spec(4, 16), default_route},
      // covers: lpm N4
      {"lookup_of_shorter_prefix", trie_spec(4, 16), lookup_of_shorter_prefix},
      // covers: lpm N5
      {"bits_behind_the_prefix", trie_spec(4, 16), bits_behind_the_prefix},
      {"overwrite_keeps_children", trie_spec(4, 16), overwrite_keeps_children},
      {"every_bit_counts_1_byte", trie_spec(1, 2200), every_bit_counts},
      {"every_bit_counts_7_bytes", trie_spec(7, 2200), every_bit_counts},
      // covers: lpm N6
      {"every_bit_counts_8_bytes", trie_spec(8, 2200), every_bit_counts},
      // covers: lpm N6
      {"every_bit_counts_15_bytes", trie_spec(15, 2200), every_bit_counts},
      // covers: lpm N6
      {"every_bit_counts_17_bytes", trie_spec(17, 2200), every_bit_counts},
      // covers: lpm N6
      {"every_bit_counts_33_bytes", trie_spec(33, 2200), every_bit_counts},
      // covers: lpm N6
      {"every_bit_counts_256_bytes", trie_spec(256, 2200), every_bit_counts},
      // covers: lpm T8
      {"strings_as_keys", trie_spec(20, 9), strings_as_keys},
      // covers: lpm T9
      {"numbers_sort", trie_spec(4, 4096), numbers_sort},
      // covers: lpm T1
      {"random_ops_equal_model", trie_spec(4, 24), random_ops_equal_model},
  };
  return all;
}

} // namespace lpm_test
