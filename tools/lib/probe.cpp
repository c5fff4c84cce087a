// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Probes of the process, of maps and of the system; those that need a program are in
// probe_programs.cpp.
#include "tools/lib/probe.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "tools/lib/bpf_error.h"
#include "tools/lib/fd.h"
#include "tools/lib/memory_cgroup.h"
#include "tools/lib/text.h"

#include <linux/capability.h>

namespace probe
{

void require(Missing (*missing)())
{
  if (auto reason = missing())
    throw bpf::missing(*reason);
}

Missing bpf()
{
  ::bpf::LogCapture quiet;
  Fd map(bpf_map_create(BPF_MAP_TYPE_ARRAY, nullptr, 4, 4, 1, nullptr));
  if (map)
    return std::nullopt;
  return fmt::format("bpf(2) creates no map: {}{}", strerror(errno),
                     errno == EPERM ? " (root or CAP_BPF is needed)" : "");
}

static bool has_capability(unsigned capability)
{
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, data) < 0)
    return false;
  return data[capability / 32].effective & 1u << capability % 32;
}

Missing cap_sys_admin()
{
  if (has_capability(CAP_SYS_ADMIN))
    return std::nullopt;
  return "this process has no CAP_SYS_ADMIN";
}

Missing cap_bpf()
{
  if (has_capability(CAP_BPF) || has_capability(CAP_SYS_ADMIN))
    return std::nullopt;
  return "this process has neither CAP_BPF nor CAP_SYS_ADMIN";
}

Missing kernel_at_least(int major, int minor)
{
  utsname system{};
  int has_major = 0, has_minor = 0;
  if (uname(&system) == 0)
    sscanf(system.release, "%d.%d", &has_major, &has_minor);
  if (has_major > major || (has_major == major && has_minor >= minor))
    return std::nullopt;
  return fmt::format("kernel {}.{} or newer is needed", major, minor);
}

Missing memlock()
{
  // Since 5.11 maps are charged to the memory cgroup, and the limit does not count.
  rlimit limit{};
  if (!kernel_at_least(5, 11) ||
      (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY))
    return std::nullopt;
  return "RLIMIT_MEMLOCK is limited, and this kernel counts maps against it";
}

Missing jit()
{
  auto enabled = read_small_file("/proc/sys/net/core/bpf_jit_enable");
  if (enabled && *enabled != "0")
    return std::nullopt;
  return enabled ? "the JIT is switched off (net.core.bpf_jit_enable)"
                 : "this kernel has no BPF JIT";
}

Missing cmpxchg16b()
{
#if defined(__x86_64__)
  auto cpus = read_small_file("/proc/cpuinfo");
  if (!cpus || cpus->find(" cx16") == cpus->npos)
    return "this CPU has no cmpxchg16b, by which newer kernels allocate memory without waiting";
#endif
  return std::nullopt;
}

Missing btf()
{
  if (access("/sys/kernel/btf/vmlinux", R_OK) == 0)
    return std::nullopt;
  return "this kernel shows no BTF of its own (/sys/kernel/btf/vmlinux)";
}

static Missing map_type(bpf_map_type type, const char *name)
{
  if (auto reason = bpf())
    return reason;
  ::bpf::LogCapture quiet;
  if (libbpf_probe_bpf_map_type(type, nullptr) == 1)
    return std::nullopt;
  return fmt::format("this kernel has no {} maps", name);
}

Missing map_array() { return map_type(BPF_MAP_TYPE_ARRAY, "array"); }

Missing map_hash() { return map_type(BPF_MAP_TYPE_HASH, "hash"); }

Missing map_percpu_hash() { return map_type(BPF_MAP_TYPE_PERCPU_HASH, "per-CPU hash"); }

Missing map_lru_hash() { return map_type(BPF_MAP_TYPE_LRU_HASH, "LRU hash"); }

Missing map_lpm_trie() { return map_type(BPF_MAP_TYPE_LPM_TRIE, "LPM trie"); }

Missing map_bloom() { return map_type(BPF_MAP_TYPE_BLOOM_FILTER, "bloom filter"); }

Missing map_array_of_maps() { return map_type(BPF_MAP_TYPE_ARRAY_OF_MAPS, "array-of-maps"); }

Missing map_ringbuf() { return map_type(BPF_MAP_TYPE_RINGBUF, "ring buffer"); }

Missing ringbuf_overwrite()
{
  if (auto reason = map_ringbuf())
    return reason;
  LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flag_ringbuf_overwrite);
  if (Fd(bpf_map_create(BPF_MAP_TYPE_RINGBUF, nullptr, 0, 0, 4096, &options)))
    return std::nullopt;
  return "ring buffers of this kernel cannot overwrite (BPF_F_RB_OVERWRITE)";
}

Missing map_perf_event_array()
{
  return map_type(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "perf event array");
}

Missing map_task_storage() { return map_type(BPF_MAP_TYPE_TASK_STORAGE, "task storage"); }

Missing map_sk_storage() { return map_type(BPF_MAP_TYPE_SK_STORAGE, "socket storage"); }

Missing map_sockmap() { return map_type(BPF_MAP_TYPE_SOCKMAP, "sockmap"); }

Missing map_rhash()
{
  if (auto reason = bpf())
    return reason;
  // Not in the headers of a build machine.
  LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NO_PREALLOC);
  if (Fd(bpf_map_create(static_cast<bpf_map_type>(map_type_rhash), nullptr, 4, 4, 1, &options)))
    return std::nullopt;
  return "this kernel has no resizable hash maps (BPF_MAP_TYPE_RHASH)";
}

// BTF of struct { struct bpf_spin_lock lock; __u32 value; }, loaded. ids: of key and value.
static Fd load_lock_btf(unsigned &key_id, unsigned &value_id)
{
  std::unique_ptr<::btf, void (*)(::btf *)> types(btf__new_empty(), btf__free);
  if (!types)
    return {};
  int integer = btf__add_int(types.get(), "unsigned int", 4, 0);
  int lock = btf__add_struct(types.get(), "bpf_spin_lock", 4);
  btf__add_field(types.get(), "val", integer, 0, 0);
  int value = btf__add_struct(types.get(), "value", 8);
  btf__add_field(types.get(), "lock", lock, 0, 0);
  btf__add_field(types.get(), "value", integer, 32, 0);
  key_id = static_cast<unsigned>(integer);
  value_id = static_cast<unsigned>(value);
  unsigned size = 0;
  const void *data = btf__raw_data(types.get(), &size);
  return Fd(data ? bpf_btf_load(data, size, nullptr) : -1);
}

Missing map_spin_lock()
{
  if (auto reason = map_hash())
    return reason;
  ::bpf::LogCapture quiet;
  LIBBPF_OPTS(bpf_map_create_opts, options);
  Fd types = load_lock_btf(options.btf_key_type_id, options.btf_value_type_id);
  options.btf_fd = static_cast<unsigned>(types.get());
  Fd map;
  if (types)
    map.reset(bpf_map_create(BPF_MAP_TYPE_HASH, nullptr, 4, 8, 1, &options));
  if (map)
    return std::nullopt;
  return "this kernel takes no bpf_spin_lock in the values of a hash map";
}

static Missing batch(bpf_map_type type, unsigned key_size, unsigned flags, const char *name)
{
  LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags);
  Fd map(bpf_map_create(type, nullptr, key_size, 4, 1, &options));
  uint32_t next, count = 1;
  unsigned char keys[8];
  uint32_t values[1];
  // An empty map has no batch to give: what matters is that the operation is there.
  if (map && (bpf_map_lookup_batch(map.get(), nullptr, &next, keys, values, &count, nullptr) == 0 ||
              errno == ENOENT))
    return std::nullopt;
  return fmt::format("this kernel has no batch operations on {} maps", name);
}

Missing batch_hash()
{
  auto reason = map_hash();
  return reason ? reason : batch(BPF_MAP_TYPE_HASH, 4, 0, "hash");
}

Missing batch_lpm_trie()
{
  auto reason = map_lpm_trie();
  return reason ? reason : batch(BPF_MAP_TYPE_LPM_TRIE, 8, BPF_F_NO_PREALLOC, "LPM trie");
}

// Whether a memory cgroup can be had and is of this kind; any kind where it is empty.
static Missing memory_cgroup_of(const std::string &kind)
{
  try {
    MemoryCgroup group;
    if (kind.empty() || group.kind() == kind)
      return std::nullopt;
    return "the memory controller is on " + group.kind();
  } catch (const std::exception &failure) {
    return failure.what();
  }
}

Missing memory_cgroup() { return memory_cgroup_of(""); }

Missing memory_cgroup_v1() { return memory_cgroup_of("cgroup v1"); }

Missing memory_cgroup_v2() { return memory_cgroup_of("cgroup v2"); }

const std::vector<Probe> &all()
{
#define PROBE(name)                                                                                \
  {                                                                                                \
#name, name                                                                                    \
  }
  static const std::vector<Probe> probes{
      PROBE(bpf),
      PROBE(cap_bpf),
      PROBE(cap_sys_admin),
      PROBE(memlock),
      PROBE(jit),
      PROBE(cmpxchg16b),
      PROBE(btf),
      PROBE(map_array),
      PROBE(map_hash),
      PROBE(map_percpu_hash),
      PROBE(map_lru_hash),
      PROBE(map_lpm_trie),
      PROBE(map_bloom),
      PROBE(map_array_of_maps),
      PROBE(map_ringbuf),
      PROBE(ringbuf_overwrite),
      PROBE(map_perf_event_array),
      PROBE(map_task_storage),
      PROBE(map_sk_storage),
      PROBE(map_sockmap),
      PROBE(map_rhash),
      PROBE(map_spin_lock),
      PROBE(batch_hash),
      PROBE(batch_lpm_trie),
      PROBE(program_xdp),
      PROBE(program_syscall),
      PROBE(test_run),
      PROBE(sleepable_hash),
      PROBE(sleepable_lpm_trie),
      PROBE(sleepable_bloom),
      PROBE(helper_loop),
      PROBE(helper_strncmp),
      PROBE(helper_for_each_map_elem),
      PROBE(kfunc_trigger),
      PROBE(kfunc_crypto),
      PROBE(raw_tracepoint),
      PROBE(tracepoint),
      PROBE(kprobe),
      PROBE(kprobe_multi),
      PROBE(uprobe),
      PROBE(uprobe_multi),
      PROBE(fentry),
      PROBE(fexit),
      PROBE(fmod_ret),
      PROBE(memory_cgroup),
      PROBE(memory_cgroup_v1),
      PROBE(memory_cgroup_v2),
  };
#undef PROBE
  return probes;
}

std::string table()
{
  std::string text;
  for (const Probe &each : all()) {
    auto reason = each.missing();
    text += fmt::format("{:<26} {}\n", each.name, reason ? "no   " + *reason : "yes");
  }
  return text;
}

} // namespace probe
