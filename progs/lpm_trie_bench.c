// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * LPM trie ops, one program each. Keys are 0 to nr_entries - 1 laid into the leading prefix_len
 * bits, a dense trie: every inner node is there, the worst case for depth.
 * What makes a figure wrong: a map larger than the cache is measured cold with random keys and
 * partly warm with sequential ones.
 */
#include "progs/bench_loop.bpf.h"

struct lpm_key {
	__u32 prefixlen;
	__u32 data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 100000000);
	__type(key, struct lpm_key);
	__type(value, __u32);
} trie SEC(".maps");

const volatile __u32 nr_entries;
const volatile __u32 prefix_len = 32;
const volatile __u8 random_keys;

/*
 * Key number -> the leading prefix_len bits of data, each number its own prefix. Whole bytes are
 * as the host lays them out; the rest goes to the high end of the next byte, where a prefix ends.
 */
static __always_inline __u32 key_data(__u32 number)
{
	__u32 rest = prefix_len & 7, whole = prefix_len - rest;

	if (rest) {
		__u32 low = number & ((1U << whole) - 1);

		number = low | (number >> whole) << (whole + 8 - rest);
	}
	return number;
}

static __always_inline void make_key(__u32 number, struct lpm_key *key)
{
	key->prefixlen = prefix_len;
	key->data = key_data(number);
	barrier_var(key); /* or the compiler drops the key that nobody looks up */
}

static __always_inline void next_key(struct bench_ctx *ctx, struct lpm_key *key)
{
	make_key(random_keys ? (bench_random(ctx) >> 32) * nr_entries >> 32
			     : bench_next(ctx, nr_entries),
		 key);
}

static long op_noop(__u32 index, struct bench_ctx *ctx)
{
	return BENCH_NEXT;
}

static long op_baseline(__u32 index, struct bench_ctx *ctx)
{
	struct lpm_key key;

	next_key(ctx, &key);
	return BENCH_NEXT;
}

static long op_lookup(__u32 index, struct bench_ctx *ctx)
{
	struct lpm_key key;

	next_key(ctx, &key);
	if (!bpf_map_lookup_elem(&trie, &key))
		return bench_wrong(ctx, -ENOENT);
	return BENCH_NEXT;
}

static long op_update(__u32 index, struct bench_ctx *ctx)
{
	struct lpm_key key;
	int err;

	next_key(ctx, &key);
	err = bpf_map_update_elem(&trie, &key, &index, BPF_EXIST);
	return err ? bench_wrong(ctx, err) : BENCH_NEXT;
}

/* From an empty map: user space empties it when every key is in. */
static long op_insert(__u32 index, struct bench_ctx *ctx)
{
	struct lpm_key key;
	int err;

	if (ctx->cursor >= nr_entries)
		return bench_exhausted(ctx);
	make_key(ctx->cursor++, &key);
	err = bpf_map_update_elem(&trie, &key, &index, BPF_NOEXIST);
	return err ? bench_wrong(ctx, err) : BENCH_NEXT;
}

/* From a full map: user space fills it again when every key is gone. */
static long op_delete(__u32 index, struct bench_ctx *ctx)
{
	struct lpm_key key;
	int err;

	if (ctx->cursor >= nr_entries)
		return bench_exhausted(ctx);
	make_key(ctx->cursor++, &key);
	err = bpf_map_delete_elem(&trie, &key);
	return err ? bench_wrong(ctx, err) : BENCH_NEXT;
}

/* The loop and the keys of insert and delete, without the op. */
static long op_sequence(__u32 index, struct bench_ctx *ctx)
{
	struct lpm_key key;

	if (ctx->cursor >= nr_entries)
		return bench_exhausted(ctx);
	make_key(ctx->cursor++, &key);
	return BENCH_NEXT;
}

BENCH_PROG(noop, op_noop)
BENCH_PROG(baseline, op_baseline)
BENCH_PROG(lookup, op_lookup)
BENCH_PROG(update, op_update)
BENCH_PROG(insert, op_insert)
BENCH_PROG(erase, op_delete) /* "delete" is no name in a C++ skeleton */
BENCH_PROG(sequence, op_sequence)
