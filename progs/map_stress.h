/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What user space asks of map_stress.c (the packet) and what the programs count, over all threads.
 * The threads of user space count the same way, so that the sums can be compared with the content.
 * Shared by BPF C and C++: fixed-width types only.
 */
#ifndef BPFGATE_MAP_STRESS_H
#define BPFGATE_MAP_STRESS_H

#include <linux/types.h>

#define STRESS_MAX_KEYS 4096

struct stress_args {
	__u32 nr_ops; /* at most 1 << 23 */
	__u32 first_key;
	__u32 nr_keys; /* first_key + nr_keys: at most STRESS_MAX_KEYS */
	__u32 seed;    /* not 0 */
};

struct stress_counts {
	__u32 inserted[STRESS_MAX_KEYS];
	__u32 erased[STRESS_MAX_KEYS];
	__u64 full;	  /* inserts that found no room */
	__u64 busy;	  /* gave up on a lock */
	__u64 foreign;	  /* lookups that saw the value of another key */
	__u64 unexpected; /* any other error */
	__s64 last_error; /* of those */
	__u64 ops;
};

/* As long as the smallest key of a trie with 32 bits; a hash map takes it as it is. */
struct stress_key {
	__u32 prefixlen;
	__u32 number;
};

#endif
