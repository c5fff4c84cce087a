/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How often an attached program ran, counted by CPU. Shared by BPF C and C++.
 */
#ifndef BPFGATE_BENCH_HITS_H
#define BPFGATE_BENCH_HITS_H

#include <linux/types.h>

#define BENCH_HIT_CPUS 256 /* CPU numbers modulo this */

/* Two cache lines each, since the adjacent-line prefetcher pairs them. */
struct bench_hits {
	__u64 count;
} __attribute__((aligned(128)));

#endif
