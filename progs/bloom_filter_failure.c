// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What programs may not do with a bloom filter, each with the accepted program next to it.
 * All are XDP, but for the sleepable ones.
 */
#include "progs/expect.bpf.h"

/* subtests of: verifier_bloom_filter */

/* It takes the expectations for a part of the declaration. */
/* clang-format off */

struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 100);
	__type(value, __u64);
} bloom SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 100);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(value, __u64);
} readonly_bloom SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} four_bytes SEC(".maps");

__u64 number;
__u32 flag;

/*
 * A filter has no key: before the verifier looks at which map the helper takes, it finds that a key
 * of no bytes cannot be read.
 */
#define NO_KEY " size=0"
const __u64 constant = 1;

/* covers: bloom N12 */
SEC("xdp")
__refused(EACCES, NO_KEY)
int lookup_elem(struct xdp_md *xdp)
{
	return bpf_map_lookup_elem(&bloom, &number) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N12 */
SEC("xdp")
__refused(EACCES, NO_KEY)
int update_elem(struct xdp_md *xdp)
{
	return bpf_map_update_elem(&bloom, &number, &number, BPF_ANY) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N12, bloom N10 */
SEC("xdp")
__refused(EACCES, NO_KEY)
int delete_elem(struct xdp_md *xdp)
{
	return bpf_map_delete_elem(&bloom, &number) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N12 */
SEC("xdp")
__refused(EACCES, "invalid zero-sized read")
int lookup_by_stack(struct xdp_md *xdp)
{
	__u64 key = 0;

	return bpf_map_lookup_elem(&bloom, &key) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N12 */
SEC("xdp")
__refused(EINVAL, "cannot pass map_type 30 into func bpf_redirect_map")
int redirect(struct xdp_md *xdp)
{
	return bpf_redirect_map(&bloom, 0, 0);
}

/* covers: bloom N12 */
SEC("xdp")
__refused(EINVAL, "cannot pass map_type 30 into func bpf_map_pop_elem")
int pop_elem(struct xdp_md *xdp)
{
	return bpf_map_pop_elem(&bloom, &number) ? XDP_PASS : XDP_DROP;
}

static long each(void *map, __u32 *key, __u64 *value, void *ctx)
{
	return 0;
}

/* covers: bloom N12 */
SEC("xdp")
__refused(ENOTSUPP, "callback function not allowed for map")
int for_each(struct xdp_md *xdp)
{
	return bpf_for_each_map_elem(&bloom, each, 0, 0) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N12 */
SEC("xdp")
__accepted
int peek_stack(struct xdp_md *xdp)
{
	__u64 value = 1;

	return bpf_map_peek_elem(&bloom, &value) ? XDP_PASS : XDP_DROP;
}

/*
 * 7.2 takes peek for a helper that only writes its argument, as it does for a queue, and forgets at
 * the branch what lies on the stack for it. A wrong refusal: a kernel that has mended it accepts.
 */
/* covers: bloom N12 */
SEC("xdp")
__accepted
__refused_from("7.0", EACCES, "slot poisoned by dead code elimination")
int peek_after_branch(struct xdp_md *xdp)
{
	__u64 value = number, pushed = number;

	barrier_var(value);
	if (flag)
		bpf_map_push_elem(&bloom, &pushed, BPF_ANY);
	return bpf_map_peek_elem(&bloom, &value) ? XDP_PASS : XDP_DROP;
}

/* The filter reads the value: unlike that of a queue it must be there. */
/* covers: bloom N12 */
SEC("xdp")
__without_perfmon
__refused(EACCES, "read from stack")
int peek_uninitialised_stack(struct xdp_md *xdp)
{
	__u64 value;

	return bpf_map_peek_elem(&bloom, &value) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N12 */
SEC("xdp")
__without_perfmon
__refused(EACCES, "read from stack")
int push_uninitialised_stack(struct xdp_md *xdp)
{
	__u64 value;

	return bpf_map_push_elem(&bloom, &value, BPF_ANY) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N12 */
SEC("xdp")
__refused(EACCES, "invalid access to map value, value_size=4 off=0 size=8")
int peek_too_small_value(struct xdp_md *xdp)
{
	__u32 zero = 0, *value = bpf_map_lookup_elem(&four_bytes, &zero);

	return value && bpf_map_peek_elem(&bloom, value) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N12 */
SEC("xdp")
__refused(EACCES, "invalid access to map value, value_size=4 off=0 size=8")
int push_too_small_value(struct xdp_md *xdp)
{
	__u32 zero = 0, *value = bpf_map_lookup_elem(&four_bytes, &zero);

	return value && bpf_map_push_elem(&bloom, value, BPF_ANY) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N12 */
SEC("xdp")
__refused(EACCES, "expected=fp")
int peek_number(struct xdp_md *xdp)
{
	return bpf_map_peek_elem(&bloom, (void *)8) ? XDP_PASS : XDP_DROP;
}

/* A push takes its value from the packet (bloom_filter.c does it), a peek does not. */
/* covers: bloom N12 */
SEC("xdp")
__refused(EACCES, "helper access to the packet is not allowed")
int peek_packet(struct xdp_md *xdp)
{
	__u64 *value = (void *)(long)xdp->data;

	if ((void *)(value + 1) > (void *)(long)xdp->data_end)
		return XDP_ABORTED;
	return bpf_map_peek_elem(&bloom, value) ? XDP_PASS : XDP_DROP;
}

/* Since it only reads, constant data will do. */
/* covers: bloom N12 */
SEC("xdp")
__accepted
int peek_constant(struct xdp_md *xdp)
{
	return bpf_map_peek_elem(&bloom, (void *)&constant) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N5 */
SEC("xdp")
__refused(EACCES, "write into map forbidden")
int push_readonly(struct xdp_md *xdp)
{
	return bpf_map_push_elem(&readonly_bloom, &number, BPF_ANY) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N5 */
SEC("xdp")
__accepted
int peek_readonly(struct xdp_md *xdp)
{
	return bpf_map_peek_elem(&readonly_bloom, &number) ? XDP_PASS : XDP_DROP;
}

/* covers: bloom N13 */
SEC("syscall")
__refused(EINVAL, "Sleepable programs can only use")
int sleepable_peek(void *ctx)
{
	return bpf_map_peek_elem(&bloom, &number);
}

/* covers: bloom N13 */
SEC("syscall")
__refused(EINVAL, "Sleepable programs can only use")
int sleepable_push(void *ctx)
{
	return bpf_map_push_elem(&bloom, &number, BPF_ANY);
}

char _license[] SEC("license") = "Dual BSD/GPL";
