// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What programs may not do with an LPM trie, and what they may do with a hash map in its place.
 */
#include "progs/expect.bpf.h"

/* subtests of: verifier_map */

/* It takes the expectations for a part of the declaration. */
/* clang-format off */

struct key {
	__u32 prefixlen;
	__u32 data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 100);
	__type(key, struct key);
	__type(value, __u64);
} trie SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_RDONLY_PROG);
	__uint(max_entries, 100);
	__type(key, struct key);
	__type(value, __u64);
} readonly_trie SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 100);
	__type(key, struct key);
	__type(value, __u64);
} hash SEC(".maps");

__u64 some_key = 32; /* a struct key */
__u64 number;

static long each(void *map, struct key *key, __u64 *value, void *ctx)
{
	return 0;
}

/* covers: lpm N9 */
SEC("xdp")
__refused(ENOTSUPP, "callback function not allowed for map")
int lpm_for_each(struct xdp_md *xdp)
{
	return bpf_for_each_map_elem(&trie, each, 0, 0) ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
__accepted
int hash_for_each(struct xdp_md *xdp)
{
	return bpf_for_each_map_elem(&hash, each, 0, 0) ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
__refused(EINVAL, "cannot pass map_type 11 into func bpf_map_push_elem")
int lpm_push(struct xdp_md *xdp)
{
	return bpf_map_push_elem(&trie, &number, BPF_ANY) ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
__refused(EINVAL, "cannot pass map_type 11 into func bpf_map_peek_elem")
int lpm_peek(struct xdp_md *xdp)
{
	return bpf_map_peek_elem(&trie, &number) ? XDP_PASS : XDP_DROP;
}

/* covers: lpm N10 */
SEC("xdp")
__refused(EACCES, "write into map forbidden")
int lpm_readonly_update(struct xdp_md *xdp)
{
	return bpf_map_update_elem(&readonly_trie, &some_key, &number, BPF_ANY) ? XDP_PASS
										: XDP_DROP;
}

/* covers: lpm N10 */
SEC("xdp")
__refused(EACCES, "write into map forbidden")
int lpm_readonly_delete(struct xdp_md *xdp)
{
	return bpf_map_delete_elem(&readonly_trie, &some_key) ? XDP_PASS : XDP_DROP;
}

/* covers: lpm N10 */
SEC("xdp")
__refused(EACCES, "write into map forbidden")
int lpm_readonly_write(struct xdp_md *xdp)
{
	__u64 *value = bpf_map_lookup_elem(&readonly_trie, &some_key);

	if (!value)
		return XDP_DROP;
	*value = 1;
	return XDP_PASS;
}

/* covers: lpm N10 */
SEC("xdp")
__accepted
int lpm_readonly_lookup(struct xdp_md *xdp)
{
	__u64 *value = bpf_map_lookup_elem(&readonly_trie, &some_key);

	return value && *value ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
__refused(EACCES, "map_value_or_null")
int lpm_unchecked_lookup(struct xdp_md *xdp)
{
	__u64 *value = bpf_map_lookup_elem(&trie, &some_key);

	return *value ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
__refused(EACCES, "invalid access to map value, value_size=8 off=8 size=8")
int lpm_beyond_value(struct xdp_md *xdp)
{
	__u64 *value = bpf_map_lookup_elem(&trie, &some_key);

	return value && value[1] ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
__without_perfmon
__refused(EACCES, "read from stack")
int lpm_uninitialised_key(struct xdp_md *xdp)
{
	struct key key;

	return bpf_map_lookup_elem(&trie, &key) ? XDP_PASS : XDP_DROP;
}

/* Tries came into sleepable programs after 6.18; 7.2 is known to take them. */
/* covers: bloom N13, lpm N9 */
SEC("syscall")
__refused_before("6.19", EINVAL, "Sleepable programs can only use")
__accepted_from("7.2")
int lpm_sleepable(void *ctx)
{
	return bpf_map_delete_elem(&trie, &some_key);
}

/* covers: bloom N13 */
SEC("syscall")
__accepted
int hash_sleepable(void *ctx)
{
	return bpf_map_delete_elem(&hash, &some_key);
}

char _license[] SEC("license") = "Dual BSD/GPL";
