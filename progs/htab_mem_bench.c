// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory behaviour of a hash map: one op writes or deletes 64 elements of the producer's own
 * stripe of keys (producer, producer + stride, ...). Each element's return value is checked.
 */
#include "progs/bench_loop.bpf.h"

#define ELEMENTS_PER_OP 64
#define MAX_VALUE_SIZE	4096

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 8);
	__uint(max_entries, 8192);
} htab SEC(".maps");

const volatile __u32 stride = 1;

char zero_value[MAX_VALUE_SIZE];

struct stripe {
	__u32 key;
	__u32 count;
	__u64 flags;
	int err;
};

static long write_element(__u32 index, struct stripe *stripe)
{
	stripe->err = bpf_map_update_elem(&htab, &stripe->key, zero_value, stripe->flags);
	stripe->key += stride;
	return !!stripe->err;
}

static long delete_element(__u32 index, struct stripe *stripe)
{
	stripe->err = bpf_map_delete_elem(&htab, &stripe->key);
	stripe->key += stride;
	return !!stripe->err;
}

static long touch_element(__u32 index, struct stripe *stripe)
{
	stripe->key += stride;
	barrier_var(stripe);
	return 0;
}

static __always_inline long write_stripe(struct bench_ctx *ctx, __u32 first, __u64 flags)
{
	struct stripe stripe = {.key = first, .flags = flags};

	bpf_loop(ELEMENTS_PER_OP, write_element, &stripe, 0);
	return stripe.err ? bench_wrong(ctx, stripe.err) : BENCH_NEXT;
}

static __always_inline long delete_stripe(struct bench_ctx *ctx, __u32 first)
{
	struct stripe stripe = {.key = first};

	bpf_loop(ELEMENTS_PER_OP, delete_element, &stripe, 0);
	return stripe.err ? bench_wrong(ctx, stripe.err) : BENCH_NEXT;
}

static long op_loop(__u32 index, struct bench_ctx *ctx)
{
	struct stripe stripe = {.key = ctx->producer};

	bpf_loop(ELEMENTS_PER_OP, touch_element, &stripe, 0);
	return BENCH_NEXT;
}

static long op_overwrite(__u32 index, struct bench_ctx *ctx)
{
	return write_stripe(ctx, ctx->producer, BPF_ANY);
}

/* Two ops a cycle: even ones add, odd ones delete what was added. */
static long op_batch_add_batch_del(__u32 index, struct bench_ctx *ctx)
{
	if (ctx->cursor++ & 1)
		return delete_stripe(ctx, ctx->producer);
	return write_stripe(ctx, ctx->producer, BPF_NOEXIST);
}

/* A pair of producers shares a stripe: the even one adds, then the odd one deletes. */
static long op_add(__u32 index, struct bench_ctx *ctx)
{
	return write_stripe(ctx, ctx->producer / 2, BPF_NOEXIST);
}

static long op_delete(__u32 index, struct bench_ctx *ctx)
{
	return delete_stripe(ctx, ctx->producer / 2);
}

BENCH_PROG(loop, op_loop)
BENCH_PROG(overwrite, op_overwrite)
BENCH_PROG(batch_add_batch_del, op_batch_add_batch_del)
BENCH_PROG(add_only, op_add)
BENCH_PROG(del_only, op_delete)
