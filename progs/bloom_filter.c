// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bloom filter from the BPF side: push and peek of many values on a plain filter and on one inside
 * a map of maps, of one value of any size, and of a value that lies in the packet.
 * XDP, since sleepable programs may not use a bloom filter.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <linux/errno.h>

#include "progs/bloom_filter.h"

struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 1000);
	__uint(map_extra, 3);
	__type(value, __u64);
} bloom SEC(".maps");

/* User space sets the value size before load. */
struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 1000);
	__uint(value_size, 8);
} raw SEC(".maps");

struct inner_bloom {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 1000);
	__uint(map_extra, 5);
	__type(value, __u64);
} inner SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct inner_bloom);
} outer SEC(".maps") = {
	.values = {&inner},
};

__u8 raw_value[BLOOM_RAW_MAX];
__u32 raw_op;
__u64 raw_flags;
__s64 raw_result;

struct loop_ctx {
	struct bloom_args args;
};

/*
 * The verifier calls the map's function in the place of the helper. Before 6.4 that function
 * returned an int, whose sign stays in the lower half of the register: only the int is compared.
 */
static void note(struct bloom_args *args, long result)
{
	long rc = (int)result;

	args->narrow += result != rc;
	if (rc == 0) {
		args->done++;
	} else if (rc == -ENOENT) {
		args->absent++;
	} else {
		args->failed++;
		args->last_error = rc;
	}
}

static long one_value(__u32 index, struct loop_ctx *ctx, void *map)
{
	__u64 value = bloom_value(ctx->args.first + index), pushed, peeked;

	if (ctx->args.op != BLOOM_PEEK) {
		pushed = value;
		note(&ctx->args, bpf_map_push_elem(map, &pushed, ctx->args.flags));
	}
	if (ctx->args.op != BLOOM_PUSH) {
		/* Stored right before the call: see peek_after_branch in bloom_filter_failure.c. */
		barrier_var(value);
		peeked = value;
		note(&ctx->args, bpf_map_peek_elem(map, &peeked));
	}
	return 0;
}

static long bloom_step(__u32 index, struct loop_ctx *ctx)
{
	return one_value(index, ctx, &bloom);
}

static long inner_step(__u32 index, struct loop_ctx *ctx)
{
	__u32 zero = 0;
	void *map = bpf_map_lookup_elem(&outer, &zero);

	if (!map) {
		note(&ctx->args, -EBADF);
		return 1;
	}
	return one_value(index, ctx, map);
}

/* Whether the packet holds the arguments: the verifier follows this better than a null pointer. */
static __always_inline int has_args(struct xdp_md *xdp, struct bloom_args **args)
{
	*args = (void *)(long)xdp->data;
	return (void *)(*args + 1) <= (void *)(long)xdp->data_end;
}

static __always_inline int run(struct xdp_md *xdp, void *step)
{
	struct bloom_args *args;
	struct loop_ctx ctx = {};
	__u64 count;

	if (!has_args(xdp, &args))
		return XDP_ABORTED;
	ctx.args = *args;
	/* clang may leave op in the upper half, and where bpf_loop() is inlined it counts. */
	count = ctx.args.count;
	barrier_var(count);
	if (bpf_loop(count, step, &ctx, 0) < 0)
		return XDP_DROP;
	if (!has_args(xdp, &args))
		return XDP_ABORTED;
	*args = ctx.args;
	return XDP_PASS;
}

SEC("xdp") int bloom_run(struct xdp_md *xdp)
{
	return run(xdp, bloom_step);
}

SEC("xdp") int inner_run(struct xdp_md *xdp)
{
	return run(xdp, inner_step);
}

SEC("xdp") int raw_run(struct xdp_md *xdp)
{
	raw_result = raw_op == BLOOM_PUSH ? bpf_map_push_elem(&raw, raw_value, raw_flags)
					  : bpf_map_peek_elem(&raw, raw_value);
	return XDP_PASS;
}

/* The value is where it lies in the packet; peek does not take it from there. */
SEC("xdp") int packet_push(struct xdp_md *xdp)
{
	struct bloom_args *args;

	if (!has_args(xdp, &args))
		return XDP_ABORTED;
	args->last_error = bpf_map_push_elem(&bloom, &args->value, 0);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
