// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One operation on a map by its BPF helper, as user space asks for it in map_request. User space
 * sets type, key size, max_entries and flags of the map before load; values are eight bytes.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <linux/errno.h>

#include "progs/map_request.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8);
} map SEC(".maps");

struct map_request request;

static __always_inline int lookup(struct map_request *r)
{
	__u64 *value = bpf_map_lookup_elem(&map, r->key);

	if (!value)
		return -ENOENT;
	r->value = *value;
	return 0;
}

static __always_inline int add_in_place(struct map_request *r)
{
	__u64 *value = bpf_map_lookup_elem(&map, r->key);

	if (!value)
		return -ENOENT;
	*value += r->value;
	return 0;
}

static __always_inline int overwrite(struct map_request *r)
{
	volatile __u64 *before = bpf_map_lookup_elem(&map, r->key);
	int i, err;

	if (!before)
		return -ENOENT;
	for (i = 0; i < 2; i++) {
		__u64 value = r->value + i;

		err = bpf_map_update_elem(&map, r->key, &value, BPF_EXIST);
		if (err)
			return err;
		r->old[i] = *before;
	}
	return 0;
}

SEC("xdp")
int map_op(struct xdp_md *xdp)
{
	switch (request.op) {
	case MAP_UPDATE:
		request.ret = bpf_map_update_elem(&map, request.key, &request.value, request.flags);
		break;
	case MAP_LOOKUP:
		request.ret = lookup(&request);
		break;
	case MAP_ERASE:
		request.ret = bpf_map_delete_elem(&map, request.key);
		break;
	case MAP_ADD_IN_PLACE:
		request.ret = add_in_place(&request);
		break;
	case MAP_OVERWRITE:
		request.ret = overwrite(&request);
		break;
	default:
		request.ret = -EOPNOTSUPP;
	}
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
