// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lookups in a hash map that has the key, and updates that a full one must refuse. User space makes
 * a resizable hash of the map where that is measured, and sets its sizes before loading.
 */
#include "progs/bench_loop.bpf.h"
#include "progs/hashmap_bench.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u64));
	__uint(max_entries, 1000);
} hashmap SEC(".maps");

const volatile __u32 nr_entries; /* keys 0 to nr_entries - 1 are there */

/* Of each producer: the key it is about to use. Only its number changes. */
struct hashmap_key keys[BENCH_MAX_PRODUCERS];

static __always_inline struct hashmap_key *next_key(struct bench_ctx *ctx, __u32 first)
{
	struct hashmap_key *key = &keys[ctx->producer & (BENCH_MAX_PRODUCERS - 1)];

	key->number = first + bench_next(ctx, nr_entries);
	return key;
}

static long op_keys(__u32 index, struct bench_ctx *ctx)
{
	next_key(ctx, 0);
	return BENCH_NEXT;
}

static long op_lookup(__u32 index, struct bench_ctx *ctx)
{
	if (!bpf_map_lookup_elem(&hashmap, next_key(ctx, 0)))
		return bench_wrong(ctx, -ENOENT);
	return BENCH_NEXT;
}

static long op_full_update(__u32 index, struct bench_ctx *ctx)
{
	__u64 value = 0;
	int err = bpf_map_update_elem(&hashmap, next_key(ctx, nr_entries), &value, BPF_ANY);

	return err == -E2BIG ? BENCH_NEXT : bench_wrong(ctx, err);
}

BENCH_PROG(walk_keys, op_keys)
BENCH_PROG(lookup, op_lookup)
BENCH_PROG(full_update, op_full_update)
