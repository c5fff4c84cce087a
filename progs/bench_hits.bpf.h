/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How often an attached program ran, for user space to compare with how often it was triggered.
 */
#ifndef BPFGATE_BENCH_HITS_BPF_H
#define BPFGATE_BENCH_HITS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "progs/bench_hits.h"

struct bench_hits hits[BENCH_HIT_CPUS];

static __always_inline __u64 *hits_of_this_cpu(void)
{
	return &hits[bpf_get_smp_processor_id() & (BENCH_HIT_CPUS - 1)].count;
}

/* Atomic, for a program that another one of this CPU may interrupt. */
static __always_inline void count_hit(void)
{
	__sync_fetch_and_add(hits_of_this_cpu(), 1);
}

#endif
