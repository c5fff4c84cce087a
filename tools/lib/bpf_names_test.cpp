// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The names of BPF programs that come and go, against /proc/kallsyms.
#include "tools/lib/bpf_names.h"

#include <linux/bpf.h>
#include <sys/syscall.h>

#include <cstring>
#include <thread>

#include "tools/lib/atomic_file.h"
#include "tools/lib/cpus.h"
#include "tools/lib/text.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;

// r0 = 0; exit. Without libbpf, which this floor does not know.
static Fd load_program()
{
  const bpf_insn insns[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
                            {.code = BPF_JMP | BPF_EXIT}};
  bpf_attr attr = {};
  attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
  attr.insns = reinterpret_cast<uint64_t>(insns);
  attr.insn_cnt = std::size(insns);
  attr.license = reinterpret_cast<uint64_t>("Dual BSD/GPL");
  strcpy(attr.prog_name, "bpf_names_here");
  return Fd(static_cast<int>(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr))));
}

TEST(bpf_names_follow_programs_that_come_and_go)
{
  BpfNames names;
  if (!names.complete())
    throw Skip("this machine gives no records of perf");
  Fd program;
  std::thread([&] { // each CPU tells what is loaded there
    pin_this_thread(0);
    program = load_program();
  })
      .join();
  if (!program || read_small_file("/proc/sys/net/core/bpf_jit_enable") == "0")
    throw Skip("this machine loads and compiles no BPF program");
  expect(names.complete(), "after one program");
  std::string lines = names.lines();
  size_t at = lines.find("_bpf_names_here\t[bpf]\n");
  expect(at != std::string::npos, lines);
  size_t begin = lines.rfind('\n', at) + 1;
  std::string line = lines.substr(begin, lines.find('\n', at) - begin);
  expect_has(read_file("/proc/kallsyms"), line);
}
