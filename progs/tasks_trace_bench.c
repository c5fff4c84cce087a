// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Storage of a task made and deleted at each getpgid(), which asks for RCU tasks-trace grace
 * periods, and how long those take. User space says what the system call's function is named.
 */
#include "progs/bench_hits.bpf.h"

struct task_struct;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, int);
} storage SEC(".maps");

__u64 periods, period_ns;

static __u64 period_start;

SEC("fentry") int on_getpgid(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	int *value = bpf_task_storage_get(&storage, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!value)
		return 0;
	bpf_task_storage_delete(&storage, task);
	count_hit();
	return 0;
}

/* One kernel thread runs both. What began before the program was attached does not count. */
SEC("fentry/rcu_tasks_trace_pregp_step") int on_period_start(void *ctx)
{
	period_start = bpf_ktime_get_ns();
	return 0;
}

SEC("fentry/rcu_tasks_trace_postgp") int on_period_end(void *ctx)
{
	if (!period_start)
		return 0;
	period_ns += bpf_ktime_get_ns() - period_start;
	period_start = 0;
	__sync_fetch_and_add(&periods, 1);
	return 0;
}

char _license[] SEC("license") = "GPL";
