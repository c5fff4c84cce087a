// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bpf_strncmp calls that the verifier must refuse, each with the accepted call next to it: the
 * size must be bounded, s1 readable, the target a string at a constant address in a frozen map.
 */
#include "progs/expect.bpf.h"

/* subtests of: verifier_strncmp */

/* It takes the expectations for a part of the declaration. */
/* clang-format off */

#define SIZE 8

const char target[SIZE] = "bpfgate";
char writable_target[SIZE] = "bpfgate";
/* Sections of their own, so that no byte after them ends the string. */
const char no_nul[SIZE] SEC(".rodata.no_nul") = "bpfgate!";
const char nul_in_the_middle[SIZE] SEC(".rodata.middle") = "bpf\0gate";

char s1[SIZE];
__u32 size;
__s32 signed_size;
__u32 offset;

struct string {
	char text[SIZE];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(key, __u32);
	__type(value, struct string);
} unfrozen SEC(".maps"), frozen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct string);
} frozen_but_writable SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(key, __u32);
	__type(value, struct string);
} frozen_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

#define VERDICT(comparison) ((comparison) ? XDP_PASS : XDP_DROP)

/* The size. A read of no bytes had no words of its own before 6.8. */

#define NO_BYTES " size=0"

/* covers: strncmp N3 */
SEC("xdp")
__refused_before("6.8", EACCES, NO_BYTES)
__refused_from("6.8", EACCES, "invalid zero-sized read")
int size_zero(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp(s1, 0, target));
}

/* covers: strncmp N3, strncmp T2 */
SEC("xdp")
__refused(EACCES, "unbounded memory access, use 'var &= const' or 'if (var < const)'")
int size_unbounded(struct xdp_md *xdp)
{
	__u64 bytes = size;

	barrier_var(bytes);
	return VERDICT(bpf_strncmp(s1, bytes | 1, target));
}

/* covers: strncmp N3 */
SEC("xdp")
__refused(EACCES, "min value is negative, either use unsigned or 'var &= const'")
int size_maybe_negative(struct xdp_md *xdp)
{
	__s64 bytes = signed_size;

	barrier_var(bytes);
	if (bytes > SIZE)
		return XDP_DROP;
	return VERDICT(bpf_strncmp(s1, bytes, target));
}

/* covers: strncmp N3 */
SEC("xdp")
__refused(EACCES, "min value is negative, either use unsigned or 'var &= const'")
int size_negative(struct xdp_md *xdp)
{
	__s64 bytes = -1;

	barrier_var(bytes);
	return VERDICT(bpf_strncmp(s1, bytes, target));
}

/* covers: strncmp N3 */
SEC("xdp")
__refused_before("6.8", EACCES, NO_BYTES)
__refused_from("6.8", EACCES, "invalid zero-sized read")
int size_maybe_zero(struct xdp_md *xdp)
{
	__u64 bytes = size;

	barrier_var(bytes);
	if (bytes > SIZE)
		return XDP_DROP;
	return VERDICT(bpf_strncmp(s1, bytes, target));
}

/* covers: strncmp N3, strncmp T2 */
SEC("xdp")
__accepted
int size_bounded(struct xdp_md *xdp)
{
	__u64 beyond_first = (__u64)size - 1;

	barrier_var(beyond_first);
	if (beyond_first >= SIZE)
		return XDP_DROP;
	return VERDICT(bpf_strncmp(s1, beyond_first + 1, target));
}

/* Before 6.8 the verifier learns nothing from "is not 0". */
/* covers: strncmp N3 */
SEC("xdp")
__refused_before("6.8", EACCES, NO_BYTES)
__accepted_from("6.8")
int size_not_zero(struct xdp_md *xdp)
{
	__u64 bytes = size;

	barrier_var(bytes);
	if (bytes == 0 || bytes > SIZE)
		return XDP_DROP;
	return VERDICT(bpf_strncmp(s1, bytes, target));
}

/* covers: strncmp N3 */
SEC("xdp")
__accepted
int size_masked(struct xdp_md *xdp)
{
	__u64 bytes = size;

	barrier_var(bytes);
	return VERDICT(bpf_strncmp(s1, (bytes & (SIZE - 1)) + 1, target));
}

/* covers: strncmp N3 */
SEC("xdp")
__refused(EACCES, "invalid access to map value")
int size_bounded_too_high(struct xdp_md *xdp)
{
	__u64 bytes = size;

	barrier_var(bytes);
	bytes &= 4095;
	return VERDICT(bpf_strncmp(s1, bytes + 1, target));
}

/* Longer than the target is fine: its NUL ends it. */
/* covers: strncmp N1 */
SEC("xdp")
__accepted
int size_larger_than_target(struct xdp_md *xdp)
{
	char long_s1[64] = "bpfgate";

	return VERDICT(bpf_strncmp(long_s1, sizeof(long_s1), target));
}

/* s1. */

/* covers: strncmp N4 */
SEC("xdp")
__without_perfmon
__refused(EACCES, "read from stack")
int s1_uninitialised(struct xdp_md *xdp)
{
	char text[SIZE];

	return VERDICT(bpf_strncmp(text, SIZE, target));
}

/* CAP_PERFMON reads what is on the stack, from 6.3 on. */
/* covers: strncmp N4 */
SEC("xdp")
__refused_before("6.3", EACCES, "read from stack")
__accepted_from("6.3")
int s1_uninitialised_with_perfmon(struct xdp_md *xdp)
{
	char text[SIZE];

	return VERDICT(bpf_strncmp(text, SIZE, target));
}

/* covers: strncmp N4 */
SEC("xdp")
__without_perfmon
__refused(EACCES, "read from stack")
int s1_half_initialised(struct xdp_md *xdp)
{
	char text[SIZE];

	*(volatile __u32 *)(text + 4) = 0;
	return VERDICT(bpf_strncmp(text, SIZE, target));
}

/* covers: strncmp N4 */
SEC("xdp")
__without_perfmon
__accepted
int s1_initialised(struct xdp_md *xdp)
{
	char text[SIZE] = "bpf";

	return VERDICT(bpf_strncmp(text, SIZE, target));
}

/* covers: strncmp N4 */
SEC("xdp")
__refused(EINVAL, "stack R1 off=-4 size=8")
int s1_beyond_stack(struct xdp_md *xdp)
{
	char text[SIZE] = "bpf";

	return VERDICT(bpf_strncmp(text + 4, SIZE, target));
}

/* covers: strncmp N4, strncmp T5 */
SEC("xdp")
__refused(EACCES, "invalid access to map value")
int s1_beyond_map_value(struct xdp_md *xdp)
{
	__u32 zero = 0;
	char *text = bpf_map_lookup_elem(&unfrozen, &zero);

	return text && bpf_strncmp(text, SIZE + 1, target) ? XDP_PASS : XDP_DROP;
}

/* covers: strncmp N4, strncmp T5 */
SEC("xdp")
__refused(EACCES, "invalid access to m")
int s1_beyond_ringbuf_record(struct xdp_md *xdp)
{
	char *text = bpf_ringbuf_reserve(&ring, SIZE, 0);
	int verdict;

	if (!text)
		return XDP_DROP;
	verdict = VERDICT(bpf_strncmp(text, SIZE + 1, target));
	bpf_ringbuf_discard(text, 0);
	return verdict;
}

/* covers: strncmp N4 */
SEC("xdp")
__refused(EACCES, "expected=fp")
int s1_unchecked_map_value(struct xdp_md *xdp)
{
	__u32 zero = 0;

	/* Not an array: there newer kernels know that element 0 exists. */
	return VERDICT(bpf_strncmp(bpf_map_lookup_elem(&frozen_hash, &zero), SIZE, target));
}

/* covers: strncmp N4 */
SEC("xdp")
__refused(EACCES, "expected=fp")
int s1_null(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp((void *)0, SIZE, target));
}

/* covers: strncmp N4, strncmp T5 */
SEC("xdp")
__refused(EACCES, "expected=fp")
int s1_context(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp((void *)xdp, SIZE, target));
}

/* The context of a syscall program is plain memory, but the helper did not take it at first. */
/* covers: strncmp T5 */
SEC("syscall")
__refused_before("6.19", EACCES, "R1 type=ctx expected=fp")
__accepted_from("7.2")
int s1_syscall_context(void *ctx)
{
	return bpf_strncmp(ctx, SIZE, target);
}

/* covers: strncmp N4 */
SEC("xdp")
__refused(EACCES, "helper access to the packet is not allowed")
int s1_packet(struct xdp_md *xdp)
{
	char *text = (void *)(long)xdp->data;

	if ((void *)(text + SIZE) > (void *)(long)xdp->data_end)
		return XDP_ABORTED;
	return VERDICT(bpf_strncmp(text, SIZE, target));
}

/* covers: strncmp N4 */
SEC("xdp")
__accepted
int s1_readonly(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp(no_nul, SIZE, target));
}

/* The target. */

/* covers: strncmp N5, strncmp T3 */
SEC("xdp")
__refused(EACCES, "does not point to a readonly map")
int target_writable(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp(s1, SIZE, writable_target));
}

/* covers: strncmp N5 */
SEC("xdp")
__refused(EACCES, "R3 type=fp expected=map_value")
int target_on_stack(struct xdp_md *xdp)
{
	char text[SIZE] = "bpfgate";

	return VERDICT(bpf_strncmp(s1, SIZE, text));
}

/* covers: strncmp N5 */
SEC("xdp")
__refused(EACCES, "does not point to a readonly map")
int target_not_frozen(struct xdp_md *xdp)
{
	__u32 zero = 0;
	char *text = bpf_map_lookup_elem(&unfrozen, &zero);

	return text && bpf_strncmp(s1, SIZE, text) ? XDP_PASS : XDP_DROP;
}

/* covers: strncmp N5 */
SEC("xdp")
__frozen("frozen_but_writable")
__refused(EACCES, "does not point to a readonly map")
int target_frozen_for_user_space_only(struct xdp_md *xdp)
{
	__u32 zero = 0;
	char *text = bpf_map_lookup_elem(&frozen_but_writable, &zero);

	return text && bpf_strncmp(s1, SIZE, text) ? XDP_PASS : XDP_DROP;
}

/* covers: strncmp N5 */
SEC("xdp")
__frozen("frozen")
__accepted
int target_frozen(struct xdp_md *xdp)
{
	__u32 zero = 0;
	char *text = bpf_map_lookup_elem(&frozen, &zero);

	return text && bpf_strncmp(s1, SIZE, text) ? XDP_PASS : XDP_DROP;
}

/* covers: strncmp N5 */
SEC("xdp")
__frozen("frozen_hash")
__refused(EACCES, "no direct value access support")
int target_in_hash(struct xdp_md *xdp)
{
	__u32 zero = 0;
	char *text = bpf_map_lookup_elem(&frozen_hash, &zero);

	return text && bpf_strncmp(s1, SIZE, text) ? XDP_PASS : XDP_DROP;
}

/* covers: strncmp N5 */
SEC("xdp")
__refused(EACCES, "is not a constant address")
int target_at_variable_offset(struct xdp_md *xdp)
{
	__u64 at = offset;

	barrier_var(at);
	return VERDICT(bpf_strncmp(s1, SIZE, target + (at & 3)));
}

/* covers: strncmp N5 */
SEC("xdp")
__accepted
int target_at_constant_offset(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp(s1, SIZE, target + 3));
}

/* covers: strncmp N5, strncmp T4 */
SEC("xdp")
__refused(EINVAL, "string is not zero-terminated")
int target_not_terminated(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp(s1, SIZE, no_nul));
}

/* covers: strncmp N5 */
SEC("xdp")
__accepted
int target_before_a_nul(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp(s1, SIZE, nul_in_the_middle));
}

/* covers: strncmp N5 */
SEC("xdp")
__refused(EINVAL, "string is not zero-terminated")
int target_after_the_nul(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp(s1, SIZE, nul_in_the_middle + 4));
}

/* covers: strncmp N5 */
SEC("xdp")
__refused(EACCES, "expected=map_value")
int target_null(struct xdp_md *xdp)
{
	return VERDICT(bpf_strncmp(s1, SIZE, (void *)0));
}

char _license[] SEC("license") = "Dual BSD/GPL";
