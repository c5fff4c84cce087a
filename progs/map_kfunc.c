// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hash maps and the kernel functions that newer kernels offer: the number of elements from the
 * per-CPU statistics (6.6), and an object owned by the map's value (6.8). User space loads one at
 * a time.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <linux/errno.h>

#include "progs/core_types.bpf.h"

extern __s64 bpf_map_sum_elem_count(const struct bpf_map *map) __ksym __weak;
extern void *bpf_obj_new_impl(__u64 local_type_id, void *meta) __ksym __weak;
extern void bpf_obj_drop_impl(void *object, void *meta) __ksym __weak;

struct owned {
	__u64 number;
};

struct owner {
	__u64 number;
	struct owned __attribute__((btf_type_tag("kptr"))) * object;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 100);
	__type(key, __u32);
	__type(value, __u64);
} counted SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 100);
	__type(key, __u32);
	__type(value, __u64);
} counted_no_prealloc SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct owner);
} owners SEC(".maps");

__s64 count, count_no_prealloc;
__s32 ret;
__u64 number, before;

SEC("?tc")
int count_elements(struct __sk_buff *skb)
{
	count = bpf_map_sum_elem_count((struct bpf_map *)&counted);
	count_no_prealloc = bpf_map_sum_elem_count((struct bpf_map *)&counted_no_prealloc);
	return 0;
}

/* Gives key 0 a new object with `number`; `before`: the number of the one it had, 0 for none. */
SEC("?tc")
int exchange_object(struct __sk_buff *skb)
{
	__u32 zero = 0;
	struct owner *owner = bpf_map_lookup_elem(&owners, &zero);
	struct owned *object;

	ret = -ENOENT;
	if (!owner)
		return 0;
	ret = -ENOMEM;
	object = bpf_obj_new_impl(bpf_core_type_id_local(struct owned), NULL);
	if (!object)
		return 0;
	object->number = number;
	object = bpf_kptr_xchg(&owner->object, object);
	before = object ? object->number : 0;
	if (object)
		bpf_obj_drop_impl(object, NULL);
	ret = 0;
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
