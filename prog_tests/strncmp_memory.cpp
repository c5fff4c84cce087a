// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bpf_strncmp with s1 in each kind of memory that it takes, and in each type of program: it is in
// the base set of helpers, so hardly a program type is without it.
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "prog_tests/strncmp.h"
#include "prog_tests/with_capabilities.h"
#include "tools/lib/map.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

using strncmp_test::sign;
using strncmp_test::Skel;

namespace
{

constexpr const char *smaller = "bpfgata", *same = "bpfgate", *larger = "bpfgatf";

struct Loaded : Skel {
  Loaded() : Skel("strncmp") { load(); }
};

// The sign that prog gives for s1 in .bss, where the programs take it from or copy it from.
int compare_subject(Skel &skel, const bpf_program *prog, const char *s1)
{
  memcpy(skel->bss->subject, s1, strlen(s1) + 1);
  return sign(strncmp_test::run(skel, prog));
}

void check_program(Skel &skel, const bpf_program *prog)
{
  CHECK_EQ(compare_subject(skel, prog, smaller), -1);
  CHECK_EQ(compare_subject(skel, prog, same), 0);
  CHECK_EQ(compare_subject(skel, prog, larger), 1);
}

int compare_rodata(const char *s1)
{
  Skel skel("strncmp");
  memcpy(const_cast<char *>(skel->rodata->const_subject), s1, strlen(s1));
  skel.load();
  return sign(strncmp_test::run(skel, skel->progs.compare_rodata));
}

int compare_hash_value(Skel &skel, const char *s1)
{
  __u32 zero = 0;
  bpf::check(bpf_map_update_elem(bpf_map__fd(skel->maps.hash), &zero, s1, BPF_ANY), "fill", "hash");
  return sign(strncmp_test::run(skel, skel->progs.compare_hash_value));
}

} // namespace

// covers: strncmp N4
TEST(strncmp_memory)
{
  test::require(probe::helper_strncmp);
  test::require(probe::test_run);
  Loaded skel;
  SUBTEST(stack) { check_program(skel, skel->progs.compare_stack); };
  SUBTEST(map_value) { check_program(skel, skel->progs.compare_bss); };
  SUBTEST(ringbuf_record) { check_program(skel, skel->progs.compare_ringbuf); };
  // covers: strncmp N3
  SUBTEST(size_from_rodata) { check_program(skel, skel->progs.compare_const_size); };
  SUBTEST(rodata)
  {
    CHECK_EQ(compare_rodata(smaller), -1);
    CHECK_EQ(compare_rodata(same), 0);
    CHECK_EQ(compare_rodata(larger), 1);
  };
  SUBTEST(hash_value)
  {
    CHECK_EQ(compare_hash_value(skel, smaller), -1);
    CHECK_EQ(compare_hash_value(skel, same), 0);
    CHECK_EQ(compare_hash_value(skel, larger), 1);
  };
  // The program decides by the size it was given at run time.
  // covers: strncmp N3
  SUBTEST(size_at_run_time)
  {
    strncmp_test::Kernel kernel;
    const std::string s1(larger, 8);
    for (uint32_t size = 1; size <= 8; size++)
      CHECK_EQ(sign(kernel.compare({s1, same, size})), size < 7 ? 0 : 1);
  };
}

namespace
{

constexpr bpf_insn insn(int code, int dst, int src, int off, int imm)
{
  return {static_cast<__u8>(code), static_cast<__u8>(dst), static_cast<__u8>(src),
          static_cast<__s16>(off), imm};
}

// A constant map that holds "bpfgate", frozen, as .rodata is.
bpf::Map constant_string()
{
  bpf::MapSpec spec = {BPF_MAP_TYPE_ARRAY, 4, 8, 1};
  spec.flags = BPF_F_RDONLY_PROG;
  bpf::Map map(spec);
  __u32 zero = 0;
  bpf::check(map.update(&zero, same), "fill", "constant string");
  bpf::check(map.freeze(), "freeze", "constant string");
  return map;
}

int load(bpf_prog_type type, const char *license, bpf_attach_type attach,
         std::initializer_list<bpf_insn> insns)
{
  LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach);
  Fd fd(bpf_prog_load(type, "strncmp", license, insns.begin(), insns.size(), &opts));
  return fd ? 0 : fd.get();
}

// A program that compares eight zero bytes of the stack with the string and returns 1, or only
// returns 1. Returns 0 or a negative errno.
int load_compare(bpf_prog_type type, const char *license, bpf_attach_type attach = {})
{
  bpf::Map string = constant_string();
  return load(type, license, attach,
              {insn(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0),
               insn(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0),
               insn(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, -8),
               insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 8),
               insn(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_3, BPF_PSEUDO_MAP_VALUE, 0, string.fd()),
               insn(0, 0, 0, 0, 0), insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_strncmp),
               insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1),
               insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)});
}

int load_nothing(bpf_prog_type type, bpf_attach_type attach)
{
  return load(type, "GPL", attach,
              {insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1),
               insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)});
}

struct ProgramType {
  const char *name;
  bpf_prog_type type;
  bpf_attach_type attach;
};

// One of every family of helper sets.
const ProgramType program_types[] = {
    {"socket_filter", BPF_PROG_TYPE_SOCKET_FILTER, {}},
    {"sched_cls", BPF_PROG_TYPE_SCHED_CLS, {}},
    {"xdp", BPF_PROG_TYPE_XDP, {}},
    {"tracepoint", BPF_PROG_TYPE_TRACEPOINT, {}},
    {"raw_tracepoint", BPF_PROG_TYPE_RAW_TRACEPOINT, {}},
    {"perf_event", BPF_PROG_TYPE_PERF_EVENT, {}},
    {"cgroup_skb", BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_INGRESS},
    {"cgroup_sock", BPF_PROG_TYPE_CGROUP_SOCK, BPF_CGROUP_INET_SOCK_CREATE},
    {"cgroup_device", BPF_PROG_TYPE_CGROUP_DEVICE, {}},
    {"cgroup_sysctl", BPF_PROG_TYPE_CGROUP_SYSCTL, BPF_CGROUP_SYSCTL},
    {"sock_ops", BPF_PROG_TYPE_SOCK_OPS, BPF_CGROUP_SOCK_OPS},
    {"sk_skb", BPF_PROG_TYPE_SK_SKB, {}},
    {"sk_msg", BPF_PROG_TYPE_SK_MSG, {}},
    {"lwt_in", BPF_PROG_TYPE_LWT_IN, {}},
    {"flow_dissector", BPF_PROG_TYPE_FLOW_DISSECTOR, BPF_FLOW_DISSECTOR},
    {"sk_lookup", BPF_PROG_TYPE_SK_LOOKUP, BPF_SK_LOOKUP},
};

} // namespace

// covers: strncmp N6
TEST(strncmp_availability)
{
  test::require(probe::helper_strncmp);
  for (const ProgramType &type : program_types) {
    SUBTEST_NAMED(type.name)
    {
      if (load_nothing(type.type, type.attach))
        test::skip("this kernel loads no program of this type");
      CHECK_OK(load_compare(type.type, "GPL", type.attach));
    };
  }
  SUBTEST(any_license) { CHECK_OK(load_compare(BPF_PROG_TYPE_XDP, "Proprietary")); };
  SUBTEST(with_cap_bpf_alone)
  {
    CHECK_OK(test::with_capabilities(
        {CAP_BPF}, [] { return load_compare(BPF_PROG_TYPE_SOCKET_FILTER, "Proprietary"); }));
  };
  // The helper comes before those that ask for CAP_BPF.
  SUBTEST(without_capabilities)
  {
    if (test::with_capabilities({}, [] { return load_nothing(BPF_PROG_TYPE_SOCKET_FILTER, {}); }))
      test::skip("kernel.unprivileged_bpf_disabled keeps programs without capabilities out");
    CHECK_OK(test::with_capabilities(
        {}, [] { return load_compare(BPF_PROG_TYPE_SOCKET_FILTER, "Proprietary"); }));
  };
}
