// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which programs have bpf_strncmp: it is in the base set of helpers, so hardly a program type is
// without it. The programs are written as instructions, since all that differs is their type.
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <initializer_list>

#include "prog_tests/with_capabilities.h"
#include "tools/lib/map.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

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
  bpf::check(map.update(&zero, "bpfgate"), "fill", "constant string");
  bpf::check(map.freeze(), "freeze", "constant string");
  return map;
}

// Returns 0 or a negative errno. log: what the verifier said of a refused program.
int load(bpf_prog_type type, const char *license, bpf_attach_type attach,
         std::initializer_list<bpf_insn> insns, std::string *log = nullptr)
{
  std::string buffer(log ? 65536 : 0, '\0');
  LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach, .log_level = log ? 1U : 0U,
              .log_size = static_cast<__u32>(buffer.size()),
              .log_buf = log ? buffer.data() : nullptr);
  Fd fd(bpf_prog_load(type, "strncmp", license, insns.begin(), insns.size(), &opts));
  if (log)
    *log = buffer.c_str();
  return fd ? 0 : fd.get();
}

// A program that compares eight zero bytes of the stack with the value of target and returns 1.
int load_compare_with(const bpf::Map &target, bpf_prog_type type, const char *license,
                      bpf_attach_type attach = {}, std::string *log = nullptr)
{
  return load(type, license, attach,
              {insn(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0),
               insn(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0),
               insn(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, -8),
               insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 8),
               insn(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_3, BPF_PSEUDO_MAP_VALUE, 0, target.fd()),
               insn(0, 0, 0, 0, 0), insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_strncmp),
               insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1),
               insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)},
              log);
}

int load_compare(bpf_prog_type type, const char *license, bpf_attach_type attach = {})
{
  return load_compare_with(constant_string(), type, license, attach);
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

// Jump tables of programs, which came with 6.19 and newer headers: not for strings.
// covers: strncmp N5
TEST(strncmp_insn_array)
{
  test::require(probe::helper_strncmp);
  constexpr auto insn_array = static_cast<bpf_map_type>(34);
  SUBTEST(target)
  {
    const bpf::MapSpec spec = {insn_array, 4, 16, 1};
    if (bpf::try_create_map(spec))
      test::skip("no map type BPF_MAP_TYPE_INSN_ARRAY (from 6.19 on)");
    bpf::Map table(spec);
    REQUIRE_OK(table.freeze());
    std::string log;
    CHECK_ERR(load_compare_with(table, BPF_PROG_TYPE_XDP, "GPL", {}, &log), -EACCES);
    test::log(log);
    CHECK(log.find("R3 points to insn_array map which cannot be used as const string") !=
          std::string::npos);
  };
}
