/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the bloom filter tests and their programs tell each other, in the packet of each run, so
 * that several threads can run a program at once. Shared by BPF C and C++: fixed-width types only.
 */
#ifndef BPFGATE_BLOOM_FILTER_H
#define BPFGATE_BLOOM_FILTER_H

#include <linux/types.h>

#define BLOOM_RAW_MAX 4096 /* bytes of the largest value that raw_op takes */

enum bloom_op {
	BLOOM_PUSH = 0,
	BLOOM_PEEK = 1,
	BLOOM_PUSH_THEN_PEEK = 2,
};

/* Values number first to first + count - 1 of bloom_value(). At least ETH_HLEN bytes. */
struct bloom_args {
	__u64 first;
	__u32 count; /* at most 1 << 23, the limit of bpf_loop() */
	__u32 op;
	__u64 flags;	  /* of the push */
	__u64 value;	  /* what packet_push pushes */
	__u64 done;	  /* out: helper calls that returned 0 */
	__u64 absent;	  /* out: that returned -ENOENT */
	__u64 failed;	  /* out: anything else */
	__s64 last_error; /* out: the last of these */
	__u64 narrow;	  /* out: results without their sign in the upper half of the register */
};

/*
 * Value number n: a bijection of 64 bits (splitmix64's finalizer), so different numbers are
 * different values, which look random to the filter's hash.
 */
static inline __u64 bloom_value(__u64 n)
{
	n = (n + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL;
	n = (n ^ (n >> 27)) * 0x94d049bb133111ebULL;
	return n ^ (n >> 31);
}

#endif
