// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Probes that load a program of a few instructions, and attach it where attaching is the question.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <cstring>
#include <vector>

#include "tools/lib/bpf_error.h"
#include "tools/lib/fd.h"
#include "tools/lib/probe.h"
#include "tools/lib/text.h"
#include "tools/lib/uprobe_multi.h"

namespace probe
{

using Code = std::vector<bpf_insn>;

static Code returning(int value)
{
  return {
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = value},
      {.code = BPF_JMP | BPF_EXIT},
  };
}

// A program that only mentions the map: the verifier looks at the two together.
static Code mentioning(int map)
{
  Code code{
      {.code = BPF_LD | BPF_DW | BPF_IMM,
       .dst_reg = BPF_REG_1,
       .src_reg = BPF_PSEUDO_MAP_FD,
       .imm = map},
      {},
  };
  Code end = returning(0);
  code.insert(code.end(), end.begin(), end.end());
  return code;
}

static Fd load(bpf_prog_type type, const Code &code, bpf_prog_load_opts *options = nullptr)
{
  ::bpf::LogCapture quiet;
  return Fd(bpf_prog_load(type, nullptr, "GPL", code.data(), code.size(), options));
}

static Missing program(bpf_prog_type type, const char *name, int value)
{
  if (auto reason = bpf())
    return reason;
  LIBBPF_OPTS(bpf_prog_load_opts, options);
  if (type == BPF_PROG_TYPE_SYSCALL)
    options.prog_flags = BPF_F_SLEEPABLE;
  if (load(type, returning(value), &options))
    return std::nullopt;
  return fmt::format("this kernel refuses {} programs: {}", name, strerror(errno));
}

Missing program_xdp() { return program(BPF_PROG_TYPE_XDP, "XDP", XDP_PASS); }

Missing program_syscall() { return program(BPF_PROG_TYPE_SYSCALL, "syscall", 0); }

Missing test_run()
{
  if (auto reason = program_xdp())
    return reason;
  Fd prog = load(BPF_PROG_TYPE_XDP, returning(XDP_PASS));
  char frame[64] = {};
  LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .data_size_in = sizeof(frame),
              .repeat = 1);
  if (bpf_prog_test_run_opts(prog.get(), &options) == 0 && options.retval == XDP_PASS)
    return std::nullopt;
  return "this kernel does not run XDP programs by BPF_PROG_TEST_RUN";
}

static Missing in_sleepable(const Fd &map, const char *name)
{
  if (auto reason = program_syscall())
    return reason;
  LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_SLEEPABLE);
  if (load(BPF_PROG_TYPE_SYSCALL, mentioning(map.get()), &options))
    return std::nullopt;
  return fmt::format("this kernel refuses {} maps in sleepable programs", name);
}

Missing sleepable_hash()
{
  if (auto reason = map_hash())
    return reason;
  return in_sleepable(Fd(bpf_map_create(BPF_MAP_TYPE_HASH, nullptr, 4, 4, 1, nullptr)), "hash");
}

Missing sleepable_lpm_trie()
{
  if (auto reason = map_lpm_trie())
    return reason;
  LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);
  Fd map(bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, nullptr, 8, 4, 1, &options));
  return in_sleepable(map, "LPM trie");
}

Missing sleepable_bloom()
{
  if (auto reason = map_bloom())
    return reason;
  return in_sleepable(Fd(bpf_map_create(BPF_MAP_TYPE_BLOOM_FILTER, nullptr, 0, 4, 1, nullptr)),
                      "bloom filter");
}

static Missing helper(bpf_func_id id, const char *name)
{
  if (auto reason = program_xdp())
    return reason;
  ::bpf::LogCapture quiet;
  if (libbpf_probe_bpf_helper(BPF_PROG_TYPE_XDP, id, nullptr) == 1)
    return std::nullopt;
  return fmt::format("this kernel has no {} for XDP programs", name);
}

Missing helper_loop() { return helper(BPF_FUNC_loop, "bpf_loop"); }

Missing helper_strncmp() { return helper(BPF_FUNC_strncmp, "bpf_strncmp"); }

Missing helper_for_each_map_elem()
{
  return helper(BPF_FUNC_for_each_map_elem, "bpf_for_each_map_elem");
}

Missing raw_tracepoint()
{
  if (auto reason = program(BPF_PROG_TYPE_RAW_TRACEPOINT, "raw tracepoint", 0))
    return reason;
  Fd prog = load(BPF_PROG_TYPE_RAW_TRACEPOINT, returning(0));
  if (Fd(bpf_raw_tracepoint_open("sched_process_exec", prog.get())))
    return std::nullopt;
  return fmt::format("no raw tracepoint can be attached: {}", strerror(errno));
}

static Fd open_event(unsigned type, uint64_t config, const char *function)
{
  perf_event_attr attr{};
  attr.size = sizeof(attr);
  attr.type = type;
  attr.config = config;
  attr.config1 = reinterpret_cast<uint64_t>(function);
  return Fd(static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC)));
}

static bool attaches(const Fd &event, bpf_prog_type type)
{
  Fd prog = load(type, returning(0));
  return event && prog && ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, prog.get()) == 0;
}

static std::optional<uint64_t> tracepoint_id(const std::string &event)
{
  for (const char *root : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"})
    if (auto text = read_small_file(fmt::format("{}/events/{}/id", root, event)))
      return parse_whole(*text);
  return std::nullopt;
}

Missing tracepoint()
{
  if (auto reason = program(BPF_PROG_TYPE_TRACEPOINT, "tracepoint", 0))
    return reason;
  auto id = tracepoint_id("syscalls/sys_enter_getpgid");
  if (!id)
    return "tracefs shows no syscall tracepoints (not mounted, or CONFIG_FTRACE_SYSCALLS is off)";
  if (attaches(open_event(PERF_TYPE_TRACEPOINT, *id, nullptr), BPF_PROG_TYPE_TRACEPOINT))
    return std::nullopt;
  return fmt::format("no tracepoint can be attached: {}", strerror(errno));
}

Missing kprobe()
{
  if (auto reason = program(BPF_PROG_TYPE_KPROBE, "kprobe", 0))
    return reason;
  auto text = read_small_file("/sys/bus/event_source/devices/kprobe/type");
  auto type = text ? parse_whole(*text) : std::nullopt;
  if (!type)
    return "this kernel has no kprobes";
  if (attaches(open_event(static_cast<unsigned>(*type), 0, "do_nanosleep"), BPF_PROG_TYPE_KPROBE))
    return std::nullopt;
  return fmt::format("no kprobe can be attached: {}", strerror(errno));
}

static Fd load_as(bpf_prog_type type, int attach_type)
{
  LIBBPF_OPTS(bpf_prog_load_opts, options,
              .expected_attach_type = static_cast<bpf_attach_type>(attach_type));
  return load(type, returning(0), &options);
}

Missing kprobe_multi()
{
  if (auto reason = program(BPF_PROG_TYPE_KPROBE, "kprobe", 0))
    return reason;
  Fd prog = load_as(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI);
  const char *function = "do_nanosleep";
  LIBBPF_OPTS(bpf_link_create_opts, options);
  options.kprobe_multi.syms = &function;
  options.kprobe_multi.cnt = 1;
  if (prog && Fd(bpf_link_create(prog.get(), 0, BPF_TRACE_KPROBE_MULTI, &options)))
    return std::nullopt;
  return fmt::format("no kprobe.multi can be attached: {}", strerror(errno));
}

Missing uprobe()
{
  if (auto reason = program(BPF_PROG_TYPE_KPROBE, "kprobe", 0))
    return reason;
  if (read_small_file("/sys/bus/event_source/devices/uprobe/type"))
    return std::nullopt;
  return "this kernel has no uprobes";
}

Missing uprobe_multi()
{
  if (auto reason = uprobe())
    return reason;
  Fd prog = load_as(BPF_PROG_TYPE_KPROBE, UprobeMulti::attach_uprobe_multi);
  uint64_t offset = 0;
  UprobeMulti request;
  request.prog_fd = static_cast<uint32_t>(prog.get());
  request.path = reinterpret_cast<uint64_t>("/");
  request.offsets = reinterpret_cast<uint64_t>(&offset);
  request.cnt = 1;
  // A kernel that knows this kind of link says that a directory is no file for it.
  if (prog && !Fd(request.create()) && errno == EBADF)
    return std::nullopt;
  return "this kernel has no uprobe.multi links (6.6 and newer)";
}

Missing kernel_function(const char *name)
{
  if (auto reason = btf())
    return reason;
  ::bpf::LogCapture quiet;
  if (libbpf_find_vmlinux_btf_id(name, BPF_TRACE_FENTRY) > 0)
    return std::nullopt;
  return fmt::format("this kernel has no function {}", name);
}

Missing kfunc_trigger() { return kernel_function("bpf_modify_return_test_tp"); }

Missing kfunc_crypto() { return kernel_function("bpf_crypto_encrypt"); }

static Missing trampoline(bpf_attach_type type, const char *function, const char *name)
{
  if (auto reason = bpf())
    return reason;
  if (auto reason = btf())
    return reason;
  ::bpf::LogCapture quiet;
  int id = libbpf_find_vmlinux_btf_id(function, type);
  if (id < 0)
    return fmt::format("this kernel's BTF has no {}", function);
  LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = type,
              .attach_btf_id = static_cast<unsigned>(id));
  Fd prog = load(BPF_PROG_TYPE_TRACING, returning(0), &options);
  if (!prog)
    return fmt::format("this kernel refuses {} programs: {}", name, strerror(errno));
  if (Fd(bpf_raw_tracepoint_open(nullptr, prog.get())))
    return std::nullopt;
  return fmt::format("{} cannot be attached: {}", name, strerror(errno));
}

Missing fentry() { return trampoline(BPF_TRACE_FENTRY, "bpf_fentry_test1", "fentry"); }

Missing fexit() { return trampoline(BPF_TRACE_FEXIT, "bpf_fentry_test1", "fexit"); }

Missing fmod_ret() { return trampoline(BPF_MODIFY_RETURN, "bpf_modify_return_test", "fmod_ret"); }

} // namespace probe
