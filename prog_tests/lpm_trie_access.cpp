// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// An LPM trie through restricted fds, frozen, inside other maps, and what its fd tells about it.
#include <fstream>

#include "prog_tests/lpm_trie_key.h"
#include "tools/lib/probe.h"

using lpm_test::ip;
using lpm_test::trie_spec;

// A number of /proc/self/fdinfo, or -1 where the kernel prints no such line.
static long fdinfo(int fd, const std::string &name)
{
  std::ifstream file("/proc/self/fdinfo/" + std::to_string(fd));
  std::string word;
  long number;
  while (file >> word)
    if (word == name + ":" && file >> number)
      return number;
  return -1;
}

static int outer_accepts(const bpf::MapSpec &template_spec, const bpf::MapSpec &inner_spec)
{
  bpf::Map pattern(template_spec), inner(inner_spec);
  bpf::Map outer({.type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
                  .key_size = 4,
                  .value_size = 4,
                  .max_entries = 1,
                  .inner_fd = static_cast<uint32_t>(pattern.fd())});
  uint32_t zero = 0, fd = static_cast<uint32_t>(inner.fd());
  return outer.update(&zero, &fd);
}

TEST(lpm_trie_access)
{
  const lpm_test::Bytes prefix = ip("10.0.0.0/8"), address = ip("10.1.1.1/32");
  uint64_t value = 8;

  // covers: lpm N10
  SUBTEST(rdonly_fd)
  {
    bpf::Map map(trie_spec(4, 16));
    REQUIRE_OK(map.update(prefix.data(), &value));
    bpf::Map reader = map.reopen(BPF_F_RDONLY);
    lpm_test::Bytes next(8);
    CHECK_OK(reader.lookup(address.data(), &value));
    CHECK_OK(reader.next_key(nullptr, next.data()));
    CHECK_ERR(reader.update(prefix.data(), &value), -EPERM);
    CHECK_ERR(reader.erase(prefix.data()), -EPERM);
    uint32_t count = 1;
    CHECK_ERR(reader.update_batch(prefix.data(), &value, count), -EPERM);
    CHECK_ERR(reader.erase_batch(prefix.data(), count), -EPERM);
  };
  // covers: lpm N10
  SUBTEST(wronly_fd)
  {
    bpf::Map map(trie_spec(4, 16));
    bpf::Map writer = map.reopen(BPF_F_WRONLY);
    lpm_test::Bytes next(8);
    CHECK_OK(writer.update(prefix.data(), &value));
    CHECK_ERR(writer.lookup(address.data(), &value), -EPERM);
    CHECK_ERR(writer.next_key(nullptr, next.data()), -EPERM);
    CHECK_OK(writer.erase(prefix.data()));
  };
  // covers: lpm N10
  SUBTEST(frozen)
  {
    bpf::Map map(trie_spec(4, 16));
    REQUIRE_OK(map.update(prefix.data(), &value));
    CHECK_OK(map.freeze());
    // 6.1 says that it is frozen already, 6.12 that user space may write it no more.
    int again = map.freeze();
    CHECK(again == -EPERM || (probe::kernel_at_least(6, 12) && again == -EBUSY));
    CHECK_ERR(map.update(prefix.data(), &value), -EPERM);
    CHECK_ERR(map.erase(prefix.data()), -EPERM);
    CHECK_OK(map.lookup(address.data(), &value));
  };
  // covers: lpm N10
  SUBTEST(inner_map_must_look_alike)
  {
    bpf::MapSpec other_key = trie_spec(8, 16), other_value = trie_spec(4, 16),
                 more_entries = trie_spec(4, 99), rdonly = trie_spec(4, 16);
    other_value.value_size = 16;
    rdonly.flags |= BPF_F_RDONLY_PROG;
    CHECK_OK(outer_accepts(trie_spec(4, 16), trie_spec(4, 16)));
    CHECK_OK(outer_accepts(trie_spec(4, 16), more_entries));
    CHECK_ERR(outer_accepts(trie_spec(4, 16), other_key), -EINVAL);
    CHECK_ERR(outer_accepts(trie_spec(4, 16), other_value), -EINVAL);
    CHECK_ERR(outer_accepts(trie_spec(4, 16), rdonly), -EINVAL);
  };
  // covers: lpm N10
  SUBTEST(memlock_counts_entries)
  {
    // Before, the kernel printed an estimate made from max_entries.
    test::require(probe::kernel<6, 4>);
    bpf::Map map(trie_spec(4, 1000));
    CHECK_EQ(fdinfo(map.fd(), "memlock"), 0);
    REQUIRE_OK(map.update(prefix.data(), &value));
    long one = fdinfo(map.fd(), "memlock");
    CHECK(one >= 4 + 8);
    for (uint32_t i = 1; i < 100; i++)
      REQUIRE_OK(map.update(lpm_test::make_key(32, {11, 0, 0, uint8_t(i)}).data(), &value));
    CHECK_EQ(fdinfo(map.fd(), "memlock"), 100 * one);
    REQUIRE_OK(map.update(prefix.data(), &value));
    CHECK_EQ(fdinfo(map.fd(), "memlock"), 100 * one);
    REQUIRE_OK(map.erase(prefix.data()));
    CHECK_EQ(fdinfo(map.fd(), "memlock"), 99 * one);
  };
  SUBTEST(info)
  {
    bpf::Map map(trie_spec(16, 77));
    bpf_map_info info;
    REQUIRE_OK(map.info(info));
    CHECK_EQ(info.type, uint32_t(BPF_MAP_TYPE_LPM_TRIE));
    CHECK_EQ(info.key_size, 20u);
    CHECK_EQ(info.value_size, 8u);
    CHECK_EQ(info.max_entries, 77u);
    CHECK_EQ(info.map_flags, uint32_t(BPF_F_NO_PREALLOC));
  };
}
