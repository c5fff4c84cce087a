// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What BPF programs do with hash maps beyond single operations (those are in map_ops.c): walks,
 * keys larger than the stack, per-CPU values, maps inside maps. User space loads one at a time.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <linux/errno.h>

#define LARGE_KEY 4104

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} walked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} percpu SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__uint(key_size, LARGE_KEY);
	__uint(value_size, sizeof(__u64));
} large SEC(".maps");

/* A key that does not fit on the stack is built here. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, LARGE_KEY);
} scratch SEC(".maps");

struct inner_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} inner SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
	__array(values, struct inner_map);
} outer SEC(".maps") = {
	.values = {[1] = &inner},
};

struct walk {
	__u64 keys;
	__u64 values;
	__u32 visits;
	__u32 stop_after; /* visits; 0: walk to the end */
};

__u64 keys, values;
__u32 visits, stop_after, key;
__u64 value;
/* int: helpers of 6.1 return 32 bits without the sign. */
__s32 ret, ret2;

static long add_up(void *map, __u32 *at, __u64 *what, struct walk *walk)
{
	walk->keys += *at;
	walk->values += *what;
	walk->visits++;
	return walk->visits == walk->stop_after;
}

static long erase_odd(void *map, __u32 *at, __u64 *what, struct walk *walk)
{
	walk->visits++;
	if (*at & 1)
		bpf_map_delete_elem(map, at);
	return 0;
}

SEC("?xdp")
int walk_all(struct xdp_md *xdp)
{
	struct walk walk = {.stop_after = stop_after};

	ret = bpf_for_each_map_elem(&walked, add_up, &walk, 0);
	ret2 = bpf_for_each_map_elem(&walked, add_up, &walk, 1);
	keys = walk.keys;
	values = walk.values;
	visits = walk.visits;
	return 0;
}

SEC("?xdp")
int walk_and_erase(struct xdp_md *xdp)
{
	struct walk walk = {};

	ret = bpf_for_each_map_elem(&walked, erase_odd, &walk, 0);
	visits = walk.visits;
	return 0;
}

SEC("?xdp")
int percpu_insert(struct xdp_md *xdp)
{
	__u32 at = key;
	__u64 what = value;

	ret = bpf_map_update_elem(&percpu, &at, &what, BPF_NOEXIST);
	return 0;
}

SEC("?xdp")
int large_key(struct xdp_md *xdp)
{
	__u32 zero = 0;
	__u64 what = value, *found;
	__u8 *big = bpf_map_lookup_elem(&scratch, &zero);

	if (!big)
		return 1;
	/* The first and the last byte tell keys apart. */
	big[0] = key;
	big[LARGE_KEY - 1] = key >> 8;
	ret = bpf_map_update_elem(&large, big, &what, BPF_NOEXIST);
	found = bpf_map_lookup_elem(&large, big);
	value = found ? *found : 0;
	big[LARGE_KEY - 1]++;
	ret2 = bpf_map_lookup_elem(&large, big) ? 0 : -ENOENT;
	return 0;
}

SEC("?xdp")
int read_inner(struct xdp_md *xdp)
{
	__u32 zero = 0, at = key;
	void *map = bpf_map_lookup_elem(&outer, &at);
	__u64 *found = map ? bpf_map_lookup_elem(map, &zero) : NULL;

	ret = found ? 0 : -ENOENT;
	value = found ? *found : 0;
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
