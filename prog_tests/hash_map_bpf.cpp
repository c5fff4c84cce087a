// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What BPF programs do with hash maps beyond single operations: walks, keys larger than the stack,
// per-CPU values, maps inside maps, pointers that outlive an overwrite.
#include <bpf/libbpf.h>
#include <hash_map.skel.h>

#include "prog_tests/hash_map_checks.h"
#include "prog_tests/map_ops_bpf.h"
#include "prog_tests/one_program.h"

using hash_test::hash_spec;
using map_test::load_only;

using Skel = bpf::Skeleton<::hash_map>;

static int run(bpf_program *program) { return map_test::run_xdp(bpf_program__fd(program)); }

static uint32_t fill(int fd, uint32_t nr)
{
  uint32_t sum = 0;
  for (uint32_t key = 1; key <= nr; key++) {
    uint64_t value = 1000 * key;
    REQUIRE_OK(bpf_map_update_elem(fd, &key, &value, BPF_NOEXIST));
    sum += key;
  }
  return sum;
}

static uint64_t overwritten(uint32_t flags)
{
  map_test::BpfOps map(hash_spec(4, 8, flags));
  const hash_test::Bytes key = hash_test::make_key(4, 1);
  REQUIRE_OK(map.update(key, 1, BPF_ANY));
  map.request().value = 7;
  CHECK_OK(map.run(MAP_OVERWRITE, key));
  CHECK_EQ(map_test::value_of(map, key), 8u);
  CHECK_EQ(map.request().old[0], 1u);
  return map.request().old[1];
}

TEST(hash_map_bpf)
{
  // covers: hash T3
  SUBTEST(for_each_visits_all)
  {
    Skel skel("hash_map");
    load_only(skel, skel->progs.walk_all);
    uint32_t sum = fill(bpf_map__fd(skel->maps.walked), 40);
    CHECK_OK(run(skel->progs.walk_all));
    CHECK_EQ(skel->bss->ret, 40);
    CHECK_EQ(skel->bss->visits, 40u);
    CHECK_EQ(skel->bss->keys, sum);
    CHECK_EQ(skel->bss->values, 1000u * sum);
  };
  // covers: hash T3
  SUBTEST(for_each_stops)
  {
    Skel skel("hash_map");
    load_only(skel, skel->progs.walk_all);
    fill(bpf_map__fd(skel->maps.walked), 40);
    skel->bss->stop_after = 7;
    CHECK_OK(run(skel->progs.walk_all));
    CHECK_EQ(skel->bss->ret, 7);
  };
  // covers: hash T3
  SUBTEST(for_each_flags_refused)
  {
    Skel skel("hash_map");
    load_only(skel, skel->progs.walk_all);
    CHECK_OK(run(skel->progs.walk_all));
    CHECK_EQ(skel->bss->ret, 0);
    CHECK_ERR(skel->bss->ret2, -EINVAL);
  };
  // covers: hash T3, hash N8
  SUBTEST(for_each_may_erase)
  {
    Skel skel("hash_map");
    load_only(skel, skel->progs.walk_and_erase);
    int fd = bpf_map__fd(skel->maps.walked);
    fill(fd, 40);
    CHECK_OK(run(skel->progs.walk_and_erase));
    CHECK_EQ(skel->bss->visits, 40u);
    for (uint32_t key = 1; key <= 40; key++) {
      uint64_t value;
      CHECK_ERR(bpf_map_lookup_elem(fd, &key, &value), key & 1 ? -ENOENT : 0);
    }
  };
  // covers: hash T3
  SUBTEST(percpu_insert_fills_others_with_zero)
  {
    Skel skel("hash_map");
    load_only(skel, skel->progs.percpu_insert);
    int fd = bpf_map__fd(skel->maps.percpu), cpus = libbpf_num_possible_cpus();
    std::vector<uint64_t> slots(static_cast<size_t>(cpus), ~0ULL);
    // The element is used once and given back, so that what is reused is not zero by itself.
    for (uint32_t key : {1U, 2U}) {
      REQUIRE_OK(bpf_map_update_elem(fd, &key, slots.data(), BPF_ANY));
      REQUIRE_OK(bpf_map_delete_elem(fd, &key));
    }
    skel->bss->key = 1;
    skel->bss->value = 55;
    CHECK_OK(run(skel->progs.percpu_insert));
    CHECK_OK(skel->bss->ret);
    REQUIRE_OK(bpf_map_lookup_elem(fd, &skel->bss->key, slots.data()));
    CHECK_EQ(std::count(slots.begin(), slots.end(), 55), 1);
    CHECK_EQ(std::count(slots.begin(), slots.end(), 0), cpus - 1);
  };
  // covers: hash T3
  SUBTEST(key_larger_than_stack)
  {
    Skel skel("hash_map");
    load_only(skel, skel->progs.large_key);
    for (uint32_t key : {0x0001U, 0x0002U, 0x0301U}) {
      skel->bss->key = key;
      skel->bss->value = 9 + key;
      CHECK_OK(run(skel->progs.large_key));
      CHECK_OK(skel->bss->ret);
      CHECK_EQ(skel->bss->value, 9 + key);
      CHECK_ERR(skel->bss->ret2, -ENOENT);
    }
    CHECK_OK(run(skel->progs.large_key));
    CHECK_ERR(skel->bss->ret, -EEXIST);
  };
  // covers: hash T3
  SUBTEST(hash_of_maps)
  {
    Skel skel("hash_map");
    load_only(skel, skel->progs.read_inner);
    uint32_t zero = 0;
    uint64_t value = 66;
    REQUIRE_OK(bpf_map_update_elem(bpf_map__fd(skel->maps.inner), &zero, &value, BPF_ANY));
    skel->bss->key = 1;
    CHECK_OK(run(skel->progs.read_inner));
    CHECK_OK(skel->bss->ret);
    CHECK_EQ(skel->bss->value, 66u);
    CHECK_OK(bpf_map_delete_elem(bpf_map__fd(skel->maps.outer), &skel->bss->key));
    CHECK_OK(run(skel->progs.read_inner));
    CHECK_ERR(skel->bss->ret, -ENOENT);
  };
  // covers: hash N3
  SUBTEST(write_through_pointer)
  {
    for (uint32_t flags : std::vector<uint32_t>{0, BPF_F_NO_PREALLOC}) {
      map_test::BpfOps map(hash_spec(4, 1, flags));
      const hash_test::Bytes key = hash_test::make_key(4, 1);
      REQUIRE_OK(map.update(key, 5, BPF_ANY));
      map.request().value = 100;
      CHECK_OK(map.run(MAP_ADD_IN_PLACE, key));
      CHECK_EQ(map_test::value_of(map, key), 105u);
    }
  };
  // The element of before is the CPU's spare one, so the second overwrite writes into it.
  // covers: hash N4
  SUBTEST(old_pointer_is_reused_with_prealloc) { CHECK_EQ(overwritten(0), 8u); };
  // Freed, but not handed back to the system while a program may look: old, or reused whole.
  // covers: hash N4
  SUBTEST(old_pointer_without_prealloc)
  {
    uint64_t seen = overwritten(BPF_F_NO_PREALLOC);
    test::log(fmt::format("after the second overwrite the old pointer shows {}", seen));
    CHECK(seen == 1 || seen == 8);
  };
}
