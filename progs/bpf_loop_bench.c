// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What an iteration of bpf_loop() costs. One op of this program is one bpf_loop() of nr_loops empty
 * iterations, each of which is a hit.
 */
#include "progs/bench_loop.bpf.h"

const volatile __u32 nr_loops;

static long empty(__u32 index, void *nothing)
{
	return 0;
}

static long op_noop(__u32 index, struct bench_ctx *ctx)
{
	return BENCH_NEXT;
}

static long op_loop(__u32 index, struct bench_ctx *ctx)
{
	long done = bpf_loop(nr_loops, empty, NULL, 0);

	return done == nr_loops ? BENCH_NEXT : bench_wrong(ctx, done);
}

BENCH_PROG(noop, op_noop)
BENCH_PROG(loop, op_loop)
