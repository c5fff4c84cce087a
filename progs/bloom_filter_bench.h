/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The random bytes of which the bloom filter benchmarks look up windows: shared with C++. */
#ifndef BPFGATE_BLOOM_FILTER_BENCH_H
#define BPFGATE_BLOOM_FILTER_BENCH_H

/* Large enough that 2.5 million windows of it differ, small enough to stay in the last cache. */
#define NR_WINDOWS	2500000
#define MAX_VALUE_SIZE	256
#define NR_RANDOM_BYTES (NR_WINDOWS + MAX_VALUE_SIZE)

#endif
