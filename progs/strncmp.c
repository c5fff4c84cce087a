// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bpf_strncmp from where it may be called: any size up to STRNCMP_MAX at any alignment, and s1 in
 * each kind of memory that the helper takes. The target is constant data, so it changes by load.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "progs/strncmp.h"

/* One byte more than is compared, for the NUL that the verifier wants to see. */
const volatile char target[STRNCMP_MAX + 1 + STRNCMP_ALIGN];
const volatile __u32 target_offset;

char subject[STRNCMP_MAX + 1 + STRNCMP_ALIGN];
__u32 subject_offset;
__u32 size;
__s64 result;

#define SHORT 8 /* bytes that the programs below compare */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, char[SHORT]);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

const char short_target[SHORT] = "bpfgate";
const volatile char const_subject[SHORT];
const volatile __u32 const_size = SHORT;

SEC("xdp") int compare(struct xdp_md *xdp)
{
	/* One less, so that the lower bound too comes from one unsigned comparison: before 6.8 the
	 * verifier learns nothing from "is not 0". */
	__u64 beyond_first = (__u64)size - 1;
	__u32 offset = subject_offset & (STRNCMP_ALIGN - 1);

	barrier_var(beyond_first);
	if (beyond_first >= STRNCMP_MAX)
		return XDP_ABORTED;
	result = bpf_strncmp(subject + offset, beyond_first + 1,
			     (const char *)target + target_offset);
	return XDP_PASS;
}

SEC("xdp") int compare_stack(struct xdp_md *xdp)
{
	char s1[SHORT];

	__builtin_memcpy(s1, subject, SHORT);
	result = bpf_strncmp(s1, SHORT, short_target);
	return XDP_PASS;
}

SEC("xdp") int compare_bss(struct xdp_md *xdp)
{
	result = bpf_strncmp(subject, SHORT, short_target);
	return XDP_PASS;
}

SEC("xdp") int compare_rodata(struct xdp_md *xdp)
{
	result = bpf_strncmp((const char *)const_subject, SHORT, short_target);
	return XDP_PASS;
}

SEC("xdp") int compare_hash_value(struct xdp_md *xdp)
{
	__u32 zero = 0;
	char *s1 = bpf_map_lookup_elem(&hash, &zero);

	if (!s1)
		return XDP_ABORTED;
	result = bpf_strncmp(s1, SHORT, short_target);
	return XDP_PASS;
}

SEC("xdp") int compare_ringbuf(struct xdp_md *xdp)
{
	char *s1 = bpf_ringbuf_reserve(&ring, SHORT, 0);

	if (!s1)
		return XDP_ABORTED;
	__builtin_memcpy(s1, subject, SHORT);
	result = bpf_strncmp(s1, SHORT, short_target);
	bpf_ringbuf_discard(s1, 0);
	return XDP_PASS;
}

/* A size that the verifier knows only because .rodata is constant. */
SEC("xdp") int compare_const_size(struct xdp_md *xdp)
{
	result = bpf_strncmp(subject, const_size, short_target);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
