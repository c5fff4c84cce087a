// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What only BPF programs do with an LPM trie: write through the pointer of a lookup, read the map's
// own fields, use it in a sleepable program or inside another map; and what the verifier refuses.
#include <lpm_trie.skel.h>

#include "prog_tests/lpm_trie_key.h"
#include "prog_tests/map_ops_bpf.h"
#include "prog_tests/one_program.h"
#include "tools/lib/probe.h"

using lpm_test::ip;
using map_test::check_contains;
using map_test::load_only;
using map_test::refusal;

using Skel = bpf::Skeleton<::lpm_trie>;

static void put(int fd, const std::string &prefix, uint64_t value)
{
  REQUIRE_OK(bpf_map_update_elem(fd, ip(prefix).data(), &value, BPF_ANY));
}

static void ask(Skel &skel, const std::string &prefix)
{
  memcpy(&skel->bss->asked, ip(prefix).data(), sizeof(skel->bss->asked));
  skel->bss->ret = 1;
  skel->bss->answer = 0;
}

static int run(bpf_program *program) { return map_test::run_xdp(bpf_program__fd(program)); }

TEST(lpm_trie_bpf)
{
  // covers: lpm N9
  SUBTEST(write_through_pointer)
  {
    map_test::BpfOps map(lpm_test::trie_spec(4, 16));
    REQUIRE_OK(map.update(ip("10.0.0.0/8"), 8, BPF_ANY));
    REQUIRE_OK(map.update(ip("10.1.0.0/16"), 16, BPF_ANY));
    map.request().value = 100;
    CHECK_OK(map.run(MAP_ADD_IN_PLACE, ip("10.1.2.3/32")));
    CHECK_EQ(map_test::value_of(map, ip("10.1.0.0/16")), 116u);
    CHECK_EQ(map_test::value_of(map, ip("10.0.0.0/8")), 8u);
    CHECK_ERR(map.run(MAP_ADD_IN_PLACE, ip("11.0.0.0/32")), -ENOENT);
  };
  // An overwrite makes a new node: who holds the pointer of before goes on reading the old value.
  // covers: lpm N9
  SUBTEST(old_pointer_keeps_old_value)
  {
    map_test::BpfOps map(lpm_test::trie_spec(4, 16));
    REQUIRE_OK(map.update(ip("10.0.0.0/8"), 1, BPF_ANY));
    map.request().value = 7;
    CHECK_OK(map.run(MAP_OVERWRITE, ip("10.0.0.0/8")));
    CHECK_EQ(map.request().old[0], 1u);
    CHECK_EQ(map.request().old[1], 1u);
    CHECK_EQ(map_test::value_of(map, ip("10.0.0.1/32")), 8u);
  };
  // covers: lpm N9
  SUBTEST(for_each_refused)
  {
    Skel skel("lpm_trie");
    check_contains(refusal(skel, skel->progs.for_each), "callback function not allowed for map");
  };
  // covers: lpm N10
  SUBTEST(rdonly_prog_can_read)
  {
    Skel skel("lpm_trie");
    load_only(skel, skel->progs.read_rdonly);
    put(bpf_map__fd(skel->maps.trie_rdonly), "10.0.0.0/8", 8);
    ask(skel, "10.1.1.1/32");
    CHECK_OK(run(skel->progs.read_rdonly));
    CHECK_EQ(skel->bss->ret, 0);
    CHECK_EQ(skel->bss->answer, 8u);
  };
  // covers: lpm N10
  SUBTEST(rdonly_prog_cannot_update)
  {
    Skel skel("lpm_trie");
    check_contains(refusal(skel, skel->progs.update_rdonly), "write into map forbidden");
  };
  // covers: lpm N10
  SUBTEST(rdonly_prog_cannot_write_through_pointer)
  {
    Skel skel("lpm_trie");
    check_contains(refusal(skel, skel->progs.write_rdonly), "write into map forbidden");
  };
  // covers: lpm N10
  SUBTEST(wronly_prog_cannot_read)
  {
    Skel skel("lpm_trie");
    check_contains(refusal(skel, skel->progs.read_wronly), "read from map forbidden");
  };
  // covers: lpm N10
  SUBTEST(inner_map)
  {
    Skel skel("lpm_trie");
    load_only(skel, skel->progs.read_inner);
    put(bpf_map__fd(skel->maps.inner), "10.0.0.0/8", 8);
    put(bpf_map__fd(skel->maps.inner), "10.1.0.0/16", 16);
    ask(skel, "10.1.1.1/32");
    CHECK_OK(run(skel->progs.read_inner));
    CHECK_EQ(skel->bss->ret, 0);
    CHECK_EQ(skel->bss->answer, 16u);
    ask(skel, "11.1.1.1/32");
    CHECK_OK(run(skel->progs.read_inner));
    CHECK_EQ(skel->bss->ret, -ENOENT);
    uint32_t zero = 0;
    CHECK_OK(bpf_map_delete_elem(bpf_map__fd(skel->maps.outer), &zero));
    CHECK_OK(run(skel->progs.read_inner));
    CHECK_EQ(skel->bss->ret, -ENODEV);
  };
  // covers: lpm T12
  SUBTEST(fields_of_struct_bpf_map)
  {
    Skel skel("lpm_trie");
    load_only(skel, skel->progs.read_fields);
    CHECK_OK(run(skel->progs.read_fields));
    const uint32_t expected[] = {BPF_MAP_TYPE_LPM_TRIE, 8, 8, 16, BPF_F_NO_PREALLOC};
    for (int i = 0; i < 5; i++)
      CHECK_EQ(skel->bss->fields[i], expected[i]);
  };
  // covers: lpm N9
  SUBTEST(sleepable_program)
  {
    // The verifier of 7.2 lists the trie, that of 6.18 does not: from then on it must load.
    if (probe::kernel_at_least(7, 2))
      test::require(probe::sleepable_lpm_trie);
    Skel skel("lpm_trie");
    load_only(skel, skel->progs.sleepable);
    ask(skel, "10.0.0.0/8");
    skel->bss->answer = 5;
    LIBBPF_OPTS(bpf_test_run_opts, opts);
    CHECK_OK(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.sleepable), &opts));
    CHECK_EQ(skel->bss->ret, 0);
    CHECK_EQ(skel->bss->answer, 5u);
  };
}
