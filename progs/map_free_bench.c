// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Times how long the kernel takes to free one map, the one whose name user space put in map_name.
 * A map is freed by the work function bpf_map_free_deferred(). Two ways to see its start and end:
 * fentry/fexit of the function, or the tracepoints around every work item; user space loads
 * whichever this kernel lets it.
 */
#include "progs/bench_loop.bpf.h"
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "progs/core_types.bpf.h"

char map_name[16];
__u64 inject_q20; /* bench --inject: spins per ns that the freeing took, in units of 2^-20 */
__u64 frees;
__u64 free_ns;

static __u64 current_work;
static __u64 start_ns;

extern const void bpf_map_free_deferred __ksym __weak;

static __always_inline void free_starts(void *work)
{
	struct bpf_map *map = work - bpf_core_field_offset(struct bpf_map, work);
	char name[sizeof(map_name)] = {};

	bpf_core_read(&name, sizeof(name), &map->name);
	for (int i = 0; i < (int)sizeof(name); i++)
		if (name[i] != map_name[i])
			return;
	current_work = (__u64)work;
	start_ns = bpf_ktime_get_ns();
}

/* The map is gone by now: only the address of its work item is compared. */
static __always_inline void free_ends(void *work)
{
	if (!current_work || current_work != (__u64)work)
		return;
	if (inject_q20)
		bench_spins((bpf_ktime_get_ns() - start_ns) * inject_q20 >> 20);
	free_ns += bpf_ktime_get_ns() - start_ns;
	current_work = 0;
	__sync_fetch_and_add(&frees, 1);
}

SEC("?fentry/bpf_map_free_deferred")
int BPF_PROG(fentry_start, struct work_struct *work)
{
	free_starts(work);
	return 0;
}

SEC("?fexit/bpf_map_free_deferred")
int BPF_PROG(fexit_end, struct work_struct *work)
{
	free_ends(work);
	return 0;
}

SEC("?raw_tp/workqueue_execute_start")
int BPF_PROG(work_start, struct work_struct *work)
{
	void *function = NULL;

	bpf_core_read(&function, sizeof(function), &work->func);
	if (function == &bpf_map_free_deferred)
		free_starts(work);
	return 0;
}

SEC("?raw_tp/workqueue_execute_end")
int BPF_PROG(work_end, struct work_struct *work, void *function)
{
	free_ends(work);
	return 0;
}

/* Only to time a spin. */
static long op_noop(__u32 index, struct bench_ctx *ctx)
{
	return BENCH_NEXT;
}

BENCH_PROG(noop, op_noop)
