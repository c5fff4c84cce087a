// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that use a map while the kernel is inside an operation on that same map: on a function
 * that it calls with the bucket locked, and in an NMI that may come at any point. User space loads
 * one at a time.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <linux/errno.h>

#include "progs/map_stress.h"

struct timer_value {
	__u64 number;
	struct bpf_timer timer;
};

/* Overwriting an element makes the kernel look after the old one's timer, under the lock. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct timer_value);
} timed SEC(".maps");

/* User space sets type and flags. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(key_size, sizeof(struct stress_key));
	__uint(value_size, sizeof(__u64));
} map SEC(".maps");

__u32 pid; /* whose operations to disturb */
__u64 entered, done, busy, unexpected;
/* int: helpers of 6.1 return 32 bits without the sign. */
__s32 ret;

/* The function is set by user space: kernels differ in how it is called. */
SEC("?fentry/bpf_obj_free_fields")
int reenter(void *ctx)
{
	struct timer_value value = {};
	__u32 zero = 0;

	if (bpf_get_current_pid_tgid() >> 32 != pid || entered++)
		return 0;
	ret = bpf_map_update_elem(&timed, &zero, &value, BPF_ANY);
	return 0;
}

SEC("?perf_event")
int in_nmi(void *ctx)
{
	struct stress_key key = {.prefixlen = 32};
	__u64 value = 0;
	int err;

	if (bpf_get_current_pid_tgid() >> 32 != pid)
		return 0;
	/* Among the keys that user space works on, so that the same part of the map is meant. */
	key.number = bpf_get_prandom_u32() % 512 * 2 + 1;
	value = (__u64)key.number << 32;
	__sync_fetch_and_add(&entered, 1);
	err = entered & 1 ? bpf_map_update_elem(&map, &key, &value, BPF_ANY)
			  : bpf_map_delete_elem(&map, &key);
	if (!err || err == -ENOENT || err == -ENOMEM || err == -ENOSPC || err == -E2BIG)
		__sync_fetch_and_add(&done, 1);
	else if (err == -EBUSY || err == -EDEADLK || err == -ETIMEDOUT)
		__sync_fetch_and_add(&busy, 1);
	else
		__sync_fetch_and_add(&unexpected, 1);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
