// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records for user space by the perf buffer of the CPU. One op is one record; a drop is one that
 * the full buffer refused.
 */
#define BENCH_CTX_PACKET /* bpf_perf_event_output() asks for the program's own context */
#include "progs/bench_loop.bpf.h"
#include "progs/ringbuf_bench.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(int));
	__uint(value_size, sizeof(int));
} perfbuf SEC(".maps");

static long op_noop(__u32 index, struct bench_ctx *ctx)
{
	return BENCH_NEXT;
}

static long op_output(__u32 index, struct bench_ctx *ctx)
{
	__u64 record = RINGBUF_RECORD;
	int err = bpf_perf_event_output(ctx->packet, &perfbuf, BPF_F_CURRENT_CPU, &record,
					sizeof(record));

	if (err && err != -ENOSPC)
		return bench_wrong(ctx, err);
	ctx->drops += !!err;
	return BENCH_NEXT;
}

BENCH_PROG(noop, op_noop)
BENCH_PROG(output, op_output)
