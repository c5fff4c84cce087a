// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bloom filter ops, and a hash map with and without a bloom filter in front of it.
 * lookup and update walk the values that are in the filter; the others look up random windows of a
 * random buffer, most of which are nowhere. Sizes are set by user space before loading.
 * What makes a figure wrong: counting a window that is in the map as absent; so the map decides.
 */
#include "progs/bench_loop.bpf.h"
#include "progs/bloom_filter_bench.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 8);
	__uint(max_entries, 1000);
} values SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(value_size, 8);
	__uint(max_entries, 1000);
	__uint(map_extra, 3);
} filter SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, 8);
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1000);
} hashmap SEC(".maps");

struct random_bytes {
	__u8 at[NR_RANDOM_BYTES];
};

/* No global variable, because those are made and filled for every load, needed or not. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct random_bytes);
	__uint(max_entries, 1);
} windows SEC(".maps");

const volatile __u32 nr_entries;

static __always_inline void *next_value(struct bench_ctx *ctx)
{
	__u32 index = bench_next(ctx, nr_entries);

	return bpf_map_lookup_elem(&values, &index);
}

/* Each window once before any comes again: the stride and the number of windows share no factor. */
static __always_inline void *next_window(struct bench_ctx *ctx)
{
	__u32 first = 0;
	struct random_bytes *bytes = bpf_map_lookup_elem(&windows, &first);
	__u64 window = ctx->cursor;

	ctx->cursor =
		window + 1618033 < NR_WINDOWS ? window + 1618033 : window + 1618033 - NR_WINDOWS;
	if (window >= NR_WINDOWS)
		window = 0;
	return bytes ? &bytes->at[window] : NULL;
}

static long op_values(__u32 index, struct bench_ctx *ctx)
{
	return next_value(ctx) ? BENCH_NEXT : bench_wrong(ctx, -ENOENT);
}

static long op_lookup(__u32 index, struct bench_ctx *ctx)
{
	void *value = next_value(ctx);
	int err = value ? bpf_map_peek_elem(&filter, value) : -ENOENT;

	return err ? bench_wrong(ctx, err) : BENCH_NEXT;
}

static long op_update(__u32 index, struct bench_ctx *ctx)
{
	void *value = next_value(ctx);
	int err = value ? bpf_map_push_elem(&filter, value, 0) : -ENOENT;

	return err ? bench_wrong(ctx, err) : BENCH_NEXT;
}

static long op_windows(__u32 index, struct bench_ctx *ctx)
{
	return next_window(ctx) ? BENCH_NEXT : bench_wrong(ctx, -EINVAL);
}

static long op_false_positive(__u32 index, struct bench_ctx *ctx)
{
	void *window = next_window(ctx);
	int err = window ? bpf_map_peek_elem(&filter, window) : -EINVAL;

	if (err == -ENOENT) {
		ctx->absent++;
		return BENCH_NEXT;
	}
	if (err)
		return bench_wrong(ctx, err);
	if (!bpf_map_lookup_elem(&hashmap, window)) {
		ctx->absent++;
		ctx->false_hits++;
		ctx->drops++;
	}
	return BENCH_NEXT;
}

static long op_without_bloom(__u32 index, struct bench_ctx *ctx)
{
	void *window = next_window(ctx);

	if (!window)
		return bench_wrong(ctx, -EINVAL);
	if (!bpf_map_lookup_elem(&hashmap, window))
		ctx->drops++;
	return BENCH_NEXT;
}

static long op_with_bloom(__u32 index, struct bench_ctx *ctx)
{
	void *window = next_window(ctx);
	int err = window ? bpf_map_peek_elem(&filter, window) : -EINVAL;

	if (err == -ENOENT)
		return BENCH_NEXT;
	if (err)
		return bench_wrong(ctx, err);
	if (!bpf_map_lookup_elem(&hashmap, window))
		ctx->drops++;
	return BENCH_NEXT;
}

BENCH_PROG(walk_values, op_values)
BENCH_PROG(lookup, op_lookup)
BENCH_PROG(update, op_update)
BENCH_PROG(walk_windows, op_windows)
BENCH_PROG(false_positive, op_false_positive)
BENCH_PROG(without_bloom, op_without_bloom)
BENCH_PROG(with_bloom, op_with_bloom)
