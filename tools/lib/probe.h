// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What this kernel and this process can do. A probe tries the thing itself, changes nothing, and
// gives the reason where it is missing, nullopt where it is there. Reasons are constant for a
// machine: they become part of test names in some result databases.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace probe
{

using Missing = std::optional<std::string>;

// What the headers of older systems do not name (include/uapi/linux/bpf.h).
constexpr int map_type_rhash = 35, flag_ringbuf_overwrite = 1 << 19;

Missing bpf(); // bpf(2) creates maps and loads programs for this process
Missing cap_sys_admin();
Missing cap_bpf(); // or CAP_SYS_ADMIN, which includes it
Missing memlock(); // memory of maps is not held down by RLIMIT_MEMLOCK
Missing jit();
Missing cmpxchg16b(); // newer kernels allocate without waiting by it only (kmalloc_nolock())
Missing btf();        // the kernel's own, for CO-RE and fentry

Missing map_array();
Missing map_hash();
Missing map_percpu_hash();
Missing map_lru_hash();
Missing map_lpm_trie();
Missing map_bloom();
Missing map_array_of_maps();
Missing map_ringbuf();
Missing ringbuf_overwrite(); // BPF_F_RB_OVERWRITE
Missing map_perf_event_array();
Missing map_task_storage();
Missing map_sk_storage();
Missing map_sockmap();
Missing map_rhash();     // the resizable hash
Missing map_spin_lock(); // bpf_spin_lock in a hash map's value
Missing batch_hash();
Missing batch_lpm_trie();

Missing program_xdp();
Missing program_syscall();
Missing test_run(); // BPF_PROG_TEST_RUN of an XDP program
Missing sleepable_hash();
Missing sleepable_lpm_trie();
Missing sleepable_bloom();
Missing helper_loop();
Missing helper_strncmp();
Missing helper_for_each_map_elem();
Missing kfunc_trigger(); // bpf_modify_return_test_tp(), which tracing benches hook
Missing kfunc_crypto();  // bpf_crypto_encrypt() and the others

Missing raw_tracepoint();
Missing tracepoint(); // its id can be read: tracefs is mounted
Missing kprobe();
Missing kprobe_multi();
Missing uprobe();
Missing uprobe_multi();
Missing fentry();
Missing fexit();
Missing fmod_ret();

Missing memory_cgroup();    // v2 or v1
Missing memory_cgroup_v1(); // the controller is on that hierarchy
Missing memory_cgroup_v2();

// This kernel is at least major.minor, by its own word; for what cannot be tried.
Missing kernel_at_least(int major, int minor);
// A function that fentry can be asked for: the kernel's BTF has it.
Missing kernel_function(const char *name);
template <int major, int minor> Missing kernel() { return kernel_at_least(major, minor); }

struct Probe {
  const char *name; // of the function above
  Missing (*missing)();
};

// Every probe without parameters, for the table of --probe.
const std::vector<Probe> &all();

// A line for each: its name, then "yes", or "no" and the reason.
std::string table();

// Throws bpf::missing with the reason.
void require(Missing (*missing)());

} // namespace probe
