// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hash maps whose values hold what the kernel looks after: a spin lock, a timer.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <linux/errno.h>

#include "progs/locked_value.h"

#define CLOCK_MONOTONIC 1

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct locked_value);
} locked SEC(".maps");

struct timer_value {
	__u64 number;
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct timer_value);
} timers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct timer_value);
} timers_no_prealloc SEC(".maps");

__u64 written, torn;
/* int: helpers of 6.1 return 32 bits without the sign. */
__s32 ret, ret2;

/* 256 times: every word of the value of key 0 is one number; under the lock it always was. */
static long write_locked(__u32 index, void *ctx)
{
	__u32 zero = 0;
	struct locked_value *value = bpf_map_lookup_elem(&locked, &zero);
	__u64 first, different = 0;
	int i;

	if (!value)
		return 1;
	bpf_spin_lock(&value->lock);
	first = value->words[0];
	for (i = 0; i < LOCKED_WORDS; i++) {
		different |= value->words[i] ^ first;
		value->words[i] = first + 1;
	}
	bpf_spin_unlock(&value->lock);
	if (different)
		__sync_fetch_and_add(&torn, 1);
	__sync_fetch_and_add(&written, 1);
	return 0;
}

SEC("?xdp")
int write_under_lock(struct xdp_md *xdp)
{
	ret = bpf_loop(256, write_locked, NULL, 0);
	return 0;
}

static int expired(void *map, __u32 *key, struct timer_value *value)
{
	return 0;
}

#define START(map)                                                                                 \
	({                                                                                         \
		__u32 zero = 0;                                                                    \
		struct timer_value *value = bpf_map_lookup_elem(&map, &zero);                      \
		int err = -ENOENT;                                                                 \
		if (value) {                                                                       \
			err = bpf_timer_init(&value->timer, &map, CLOCK_MONOTONIC);                \
			bpf_timer_set_callback(&value->timer, expired);                            \
			/* An hour: it must never expire by itself. */                             \
			bpf_timer_start(&value->timer, 3600000000000ULL, 0);                       \
		}                                                                                  \
		err;                                                                               \
	})

SEC("?xdp")
int start_timers(struct xdp_md *xdp)
{
	ret = START(timers);
	ret2 = START(timers_no_prealloc);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
