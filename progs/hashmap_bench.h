/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A key of the hash map benches: a number, and zeros up to the size of the map's keys. Shared by
 * BPF C and C++.
 */
#ifndef BPFGATE_HASHMAP_BENCH_H
#define BPFGATE_HASHMAP_BENCH_H

#include <linux/types.h>

#define HASHMAP_MOST_KEY_SIZE 1024

struct hashmap_key {
	__u32 number;
	__u8 zeros[HASHMAP_MOST_KEY_SIZE - sizeof(__u32)];
};

#endif
