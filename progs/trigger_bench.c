// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What it costs until a BPF program runs, by the way it is attached. A driver calls a function of
 * the kernel, one op a call; the program that hooks it counts. The base calls a function of about
 * the same length that nothing hooks.
 * What makes a figure wrong: another program on the same function, of whoever traces the machine.
 */
#include "progs/bench_hits.bpf.h"
#include "progs/bench_loop.bpf.h"

#define STACK_BYTES 1024

const volatile __u32 stacktrace; /* bench -s */

struct stack {
	__u8 bytes[STACK_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, struct stack);
	__uint(max_entries, 1);
} stacks SEC(".maps");

/* Since 6.10. Its only work is the tracepoint bpf_trigger_tp. */
extern int bpf_modify_return_test_tp(int nonce) __ksym __weak;

static __always_inline int handle(void *ctx)
{
	__u32 first = 0;
	struct stack *stack;

	count_hit();
	if (!stacktrace)
		return 0;
	stack = bpf_map_lookup_elem(&stacks, &first);
	if (stack)
		bpf_get_stack(ctx, stack, sizeof(*stack), 0);
	return 0;
}

static long op_noop(__u32 index, struct bench_ctx *ctx)
{
	return BENCH_NEXT;
}

static long op_count(__u32 index, struct bench_ctx *ctx)
{
	count_hit();
	return BENCH_NEXT;
}

static long op_unhooked(__u32 index, struct bench_ctx *ctx)
{
	ctx->rng = bpf_get_current_pid_tgid(); /* stored, or the compiler drops the call */
	return BENCH_NEXT;
}

static long op_helper(__u32 index, struct bench_ctx *ctx)
{
	ctx->rng = bpf_get_numa_node_id();
	return BENCH_NEXT;
}

static long op_kfunc(__u32 index, struct bench_ctx *ctx)
{
	ctx->rng = bpf_modify_return_test_tp(0);
	return BENCH_NEXT;
}

BENCH_RAW_TP_PROG(noop, op_noop)
BENCH_RAW_TP_PROG(kernel_count, op_count)
BENCH_RAW_TP_PROG(unhooked, op_unhooked)
BENCH_RAW_TP_PROG(call_helper, op_helper)
BENCH_RAW_TP_PROG(call_kfunc, op_kfunc)

#define HOOK(name, section)                                                                        \
	SEC(section) int name(void *ctx)                                                           \
	{                                                                                          \
		return handle(ctx);                                                                \
	}

HOOK(on_kprobe, "kprobe/bpf_get_numa_node_id")
HOOK(on_kretprobe, "kretprobe/bpf_get_numa_node_id")
HOOK(on_kprobe_multi, "kprobe.multi/bpf_get_numa_node_id")
HOOK(on_kretprobe_multi, "kretprobe.multi/bpf_get_numa_node_id")
HOOK(on_fentry, "fentry/bpf_get_numa_node_id")
HOOK(on_fexit, "fexit/bpf_get_numa_node_id")
HOOK(on_fmod_ret, "fmod_ret/bpf_modify_return_test_tp")
HOOK(on_tp, "tp/bpf_test_run/bpf_trigger_tp")
HOOK(on_raw_tp, "raw_tp/bpf_trigger_tp")

/* On every other function, for the *-all benches: does nothing. */
SEC("kprobe.multi") int on_all(void *ctx)
{
	return 0;
}

SEC("kretprobe.multi") int on_all_returns(void *ctx)
{
	return 0;
}

/* Attached to functions of bench itself: a uprobe program is of the same type as a kprobe's. */
HOOK(on_uprobe, "kprobe")
