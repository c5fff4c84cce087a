// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What BPF programs may and may not do with an LPM trie, one program each; user space loads one
 * at a time. Single operations are in map_ops.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <linux/errno.h>

struct lpm_key {
	__u32 prefixlen;
	__u32 data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16);
	__type(key, struct lpm_key);
	__type(value, __u64);
} trie SEC(".maps");

/* Programs may only read it. */
struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_RDONLY_PROG);
	__uint(max_entries, 16);
	__type(key, struct lpm_key);
	__type(value, __u64);
} trie_rdonly SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_WRONLY_PROG);
	__uint(max_entries, 16);
	__type(key, struct lpm_key);
	__type(value, __u64);
} trie_wronly SEC(".maps");

struct inner_trie {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16);
	__type(key, struct lpm_key);
	__type(value, __u64);
} inner SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
	__array(values, struct inner_trie);
} outer SEC(".maps") = {
	.values = {[0] = &inner},
};

struct bpf_map___fields {
	enum bpf_map_type map_type;
	__u32 key_size;
	__u32 value_size;
	__u32 max_entries;
	__u32 map_flags;
} __attribute__((preserve_access_index));

__u32 asked[2];
__u64 answer;
/* int: helpers of 6.1 return 32 bits without the sign. */
__s32 ret;
__u32 fields[5];

static __always_inline int look_up(void *map)
{
	struct lpm_key key = {asked[0], asked[1]};
	__u64 *value = bpf_map_lookup_elem(map, &key);

	ret = value ? 0 : -ENOENT;
	if (value)
		answer = *value;
	return 0;
}

static long visit(void *map, struct lpm_key *key, __u64 *value, void *ctx)
{
	return 0;
}

SEC("?xdp")
int for_each(struct xdp_md *xdp)
{
	return bpf_for_each_map_elem(&trie, visit, NULL, 0);
}

SEC("?xdp")
int read_rdonly(struct xdp_md *xdp)
{
	return look_up(&trie_rdonly);
}

SEC("?xdp")
int update_rdonly(struct xdp_md *xdp)
{
	struct lpm_key key = {asked[0], asked[1]};

	return bpf_map_update_elem(&trie_rdonly, &key, &answer, BPF_ANY);
}

SEC("?xdp")
int write_rdonly(struct xdp_md *xdp)
{
	struct lpm_key key = {asked[0], asked[1]};
	__u64 *value = bpf_map_lookup_elem(&trie_rdonly, &key);

	if (value)
		*value = 1;
	return 0;
}

SEC("?xdp")
int read_wronly(struct xdp_md *xdp)
{
	return look_up(&trie_wronly);
}

SEC("?xdp")
int read_inner(struct xdp_md *xdp)
{
	__u32 zero = 0;
	void *map = bpf_map_lookup_elem(&outer, &zero);

	if (map)
		look_up(map);
	else
		ret = -ENODEV;
	return 0;
}

SEC("?xdp")
int read_fields(struct xdp_md *xdp)
{
	struct bpf_map___fields *map = (void *)&trie;

	fields[0] = map->map_type;
	fields[1] = map->key_size;
	fields[2] = map->value_size;
	fields[3] = map->max_entries;
	fields[4] = map->map_flags;
	return 0;
}

SEC("?syscall")
int sleepable(void *ctx)
{
	struct lpm_key key = {asked[0], asked[1]};

	ret = bpf_map_update_elem(&trie, &key, &answer, BPF_ANY);
	if (!ret)
		look_up(&trie);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
