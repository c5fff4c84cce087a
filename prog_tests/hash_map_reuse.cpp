// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Values that are copied while others write: no torn value under BPF_F_LOCK, no gap where a map
// inside a map is replaced, no crash where elements are reused.
#include "progs/locked_value.h"

#include <hash_map.skel.h>
#include <hash_map_fields.skel.h>

#include <algorithm>

#include "prog_tests/map_stress.h"
#include "prog_tests/one_program.h"
#include "tools/lib/probe.h"

using map_test::run_threads;

namespace
{

struct Locked {
  Locked() : skel("hash_map_fields")
  {
    map_test::load_only(skel, skel->progs.write_under_lock);
    locked_value value = {};
    for (uint32_t key = 0; key < 4; key++)
      REQUIRE_OK(bpf_map_update_elem(fd(), &key, &value, BPF_F_LOCK));
  }
  int fd() { return bpf_map__fd(skel->maps.locked); }

  static bool torn(const locked_value &value)
  {
    return std::any_of(value.words, value.words + LOCKED_WORDS,
                       [&](uint64_t word) { return word != value.words[0]; });
  }

  auto write(uint64_t first, uint32_t nr)
  {
    return [=, this] {
      for (uint32_t i = 0; i < nr; i++) {
        uint32_t key = i % 2;
        locked_value value = {};
        std::fill(value.words, value.words + LOCKED_WORDS, first + i);
        failed += bpf_map_update_elem(fd(), &key, &value, BPF_F_LOCK) != 0;
      }
    };
  }
  auto read(uint32_t nr)
  {
    return [=, this] {
      for (uint32_t i = 0; i < nr; i++) {
        uint32_t key = i % 2;
        locked_value value;
        int err = bpf_map_lookup_elem_flags(fd(), &key, &value, BPF_F_LOCK);
        nr_torn += !err && torn(value);
        failed += err && err != -ENOENT;
      }
    };
  }
  // Deletes and inserts, so that elements change hands.
  auto replace(uint64_t first, uint32_t nr)
  {
    return [=, this] {
      for (uint32_t i = 0; i < nr; i++) {
        uint32_t key = i % 4;
        locked_value value = {};
        std::fill(value.words, value.words + LOCKED_WORDS, first + i);
        bpf_map_delete_elem(fd(), &key);
        int err = bpf_map_update_elem(fd(), &key, &value, BPF_F_LOCK);
        failed += err && err != -E2BIG;
      }
    };
  }
  auto write_by_bpf(uint32_t runs)
  {
    return [=, this] {
      for (uint32_t i = 0; i < runs; i++)
        failed += map_test::run_xdp(bpf_program__fd(skel->progs.write_under_lock)) != 0;
    };
  }

  bpf::Skeleton<::hash_map_fields> skel;
  std::atomic<uint32_t> nr_torn{0}, failed{0};
};

} // namespace

TEST(hash_map_reuse)
{
  // covers: hash T3
  SUBTEST(no_torn_value_under_lock)
  {
    Locked locked;
    run_threads({locked.write(1ULL << 40, 20000), locked.write(2ULL << 40, 20000),
                 locked.read(20000), locked.read(20000), locked.write_by_bpf(200)});
    CHECK_EQ(locked.nr_torn.load(), 0u);
    CHECK_EQ(locked.failed.load(), 0u);
    CHECK_EQ(locked.skel->bss->torn, 0u);
    CHECK_EQ(locked.skel->bss->written, 200u * 256u);
  };
  // covers: hash T3
  SUBTEST(reuse_without_harm)
  {
    Locked locked;
    run_threads({locked.replace(1ULL << 40, 10000), locked.replace(2ULL << 40, 10000),
                 locked.read(10000), locked.write_by_bpf(50)});
    CHECK_EQ(locked.failed.load(), 0u);
    for (uint32_t key = 0; key < 4; key++) {
      locked_value value;
      CHECK_OK(bpf_map_lookup_elem_flags(locked.fd(), &key, &value, BPF_F_LOCK));
      CHECK(!Locked::torn(value));
    }
  };
  // covers: hash T3
  SUBTEST(reuse_is_consistent)
  {
    // Before, the value of a reused element was written without its lock.
    test::require(probe::kernel<7, 1>);
    Locked locked;
    run_threads({locked.replace(1ULL << 40, 10000), locked.replace(2ULL << 40, 10000),
                 locked.read(20000), locked.read(20000)});
    CHECK_EQ(locked.failed.load(), 0u);
    CHECK_EQ(locked.nr_torn.load(), 0u);
  };
  // covers: hash T3
  SUBTEST(inner_map_is_replaced_without_a_gap)
  {
    // Before, an inner map was replaced in two steps.
    test::require(probe::kernel<6, 16>);
    bpf::Skeleton<::hash_map> skel("hash_map");
    map_test::load_only(skel, skel->progs.read_inner);
    bpf::Map other({.type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1});
    int outer = bpf_map__fd(skel->maps.outer), fds[] = {bpf_map__fd(skel->maps.inner), other.fd()};
    std::atomic<uint32_t> failed{0}, missing{0};
    std::atomic<bool> done{false};
    auto replace = [&] {
      for (uint32_t i = 0, key = 1; i < 20; i++) // each waits for a grace period
        failed += bpf_map_update_elem(outer, &key, &fds[i % 2], BPF_EXIST) != 0;
      done = true;
    };
    auto look = [&] {
      for (uint32_t i = 0, key = 1, id; i < 1000000 && !done; i++)
        missing += bpf_map_lookup_elem(outer, &key, &id) != 0;
    };
    run_threads({replace, look, look});
    CHECK_EQ(failed.load(), 0u);
    CHECK_EQ(missing.load(), 0u);
  };
}
