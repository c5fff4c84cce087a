// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program on a USDT of bench itself. By itself, since libbpf's USDT brings maps of its own.
 */
#include <linux/ptrace.h>
#include <stdbool.h> /* usdt.bpf.h wants it */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/usdt.bpf.h>

#include "progs/bench_hits.h"

struct bench_hits hits[BENCH_HIT_CPUS];

SEC("usdt") int on_usdt(struct pt_regs *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();

	__sync_fetch_and_add(&hits[cpu & (BENCH_HIT_CPUS - 1)].count, 1);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
