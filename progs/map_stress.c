// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Many operations on one map from BPF, while user space does the same: random inserts, erasures
 * and lookups; inserts of a range of keys; additions in place. User space sets type and size of
 * the map before load.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <linux/errno.h>

#include "progs/map_stress.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct stress_key));
	__uint(value_size, sizeof(__u64));
} map SEC(".maps");

struct stress_counts counts;

struct state {
	struct stress_args args;
	__u32 rng;
};

static __always_inline __u32 next_random(struct state *state)
{
	__u32 x = state->rng;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	state->rng = x;
	return x;
}

/* int: helpers of 6.1 return 32 bits without the sign. */
static __always_inline void count_error(int err)
{
	if (err == -E2BIG || err == -ENOSPC) {
		__sync_fetch_and_add(&counts.full, 1);
	} else if (err == -EBUSY || err == -EDEADLK || err == -ETIMEDOUT) {
		__sync_fetch_and_add(&counts.busy, 1);
	} else if (err != -EEXIST && err != -ENOENT) {
		__sync_fetch_and_add(&counts.unexpected, 1);
		counts.last_error = err;
	}
}

static __always_inline void insert(struct stress_key *key)
{
	__u64 value = (__u64)key->number << 32;
	__u32 number = key->number & (STRESS_MAX_KEYS - 1);
	int err = bpf_map_update_elem(&map, key, &value, BPF_NOEXIST);

	if (err)
		count_error(err);
	else
		__sync_fetch_and_add(&counts.inserted[number], 1);
}

static __always_inline void erase(struct stress_key *key)
{
	__u32 number = key->number & (STRESS_MAX_KEYS - 1);
	int err = bpf_map_delete_elem(&map, key);

	if (err)
		count_error(err);
	else
		__sync_fetch_and_add(&counts.erased[number], 1);
}

static __always_inline void look_up(struct stress_key *key)
{
	__u64 *value = bpf_map_lookup_elem(&map, key);

	if (value && *value >> 32 != key->number)
		__sync_fetch_and_add(&counts.foreign, 1);
}

static long mixed_op(__u32 index, struct state *state)
{
	__u32 dice = next_random(state) % 10;
	struct stress_key key = {
		.prefixlen = 32,
		.number = state->args.first_key + next_random(state) % state->args.nr_keys,
	};

	if (dice < 4)
		insert(&key);
	else if (dice < 8)
		erase(&key);
	else
		look_up(&key);
	return 0;
}

static long insert_op(__u32 index, struct state *state)
{
	struct stress_key key = {.prefixlen = 32, .number = state->args.first_key + index};

	insert(&key);
	return 0;
}

static long overwrite_op(__u32 index, struct state *state)
{
	struct stress_key key = {
		.prefixlen = 32,
		.number = state->args.first_key + index % state->args.nr_keys,
	};
	__u64 value = (__u64)key.number << 32 | index;
	int err = bpf_map_update_elem(&map, &key, &value, BPF_EXIST);

	if (err)
		count_error(err);
	return 0;
}

static long erase_op(__u32 index, struct state *state)
{
	struct stress_key key = {.prefixlen = 32, .number = state->args.first_key + index};

	erase(&key);
	return 0;
}

static long add_op(__u32 index, struct state *state)
{
	struct stress_key key = {
		.prefixlen = 32,
		.number = state->args.first_key + index % state->args.nr_keys,
	};
	__u64 *value = bpf_map_lookup_elem(&map, &key);

	if (value)
		__sync_fetch_and_add(value, 1);
	else
		count_error(-ENODATA);
	return 0;
}

static __always_inline int run(struct xdp_md *xdp, long (*op)(__u32, struct state *))
{
	struct stress_args *args = (void *)(long)xdp->data;
	struct state state = {};
	long done;

	if ((void *)(args + 1) > (void *)(long)xdp->data_end)
		return -EINVAL;
	state.args = *args;
	state.rng = args->seed;
	if (!state.args.nr_keys)
		return -EINVAL;
	done = bpf_loop(state.args.nr_ops, op, &state, 0);
	__sync_fetch_and_add(&counts.ops, done);
	return 0;
}

SEC("xdp")
int mixed(struct xdp_md *xdp)
{
	return run(xdp, mixed_op);
}

SEC("xdp")
int insert_all(struct xdp_md *xdp)
{
	return run(xdp, insert_op);
}

SEC("xdp")
int overwrite_all(struct xdp_md *xdp)
{
	return run(xdp, overwrite_op);
}

SEC("xdp")
int erase_all(struct xdp_md *xdp)
{
	return run(xdp, erase_op);
}

SEC("xdp")
int add_all(struct xdp_md *xdp)
{
	return run(xdp, add_op);
}

char _license[] SEC("license") = "Dual BSD/GPL";
