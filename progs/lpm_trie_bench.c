// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * LPM trie ops, one program each. Keys are 0 to nr_entries - 1 laid into the leading prefix_len
 * bits, a dense trie: every inner node is there, the worst case for depth.
 * What makes a figure wrong: a map larger than the cache is measured cold with random keys and
 * partly warm with sequential ones.
 */
#include "progs/bench_loop.bpf.h"

struct lpm_key {
	struct bpf_lpm_trie_key key;
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

static __always_inline void next_key(struct bench_ctx *ctx, struct lpm_key *key)
{
	__u32 number = random_keys ? (bench_random(ctx) >> 32) * nr_entries >> 32
				   : bench_next(ctx, nr_entries);

	*(__u32 *)&key->key = prefix_len;
	key->data = key_data(number);
	barrier_var(key);
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

BENCH_PROG(noop, op_noop)
BENCH_PROG(baseline, op_baseline)
