// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program on a USDT of bench itself. By itself, since libbpf's USDT brings maps of its own.
 */
#include <linux/ptrace.h>
#include <stdbool.h> /* usdt.bpf.h wants it */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/usdt.bpf.h>

#include "progs/bench_hits.bpf.h"

SEC("usdt") int on_usdt(struct pt_regs *ctx)
{
	count_hit();
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
