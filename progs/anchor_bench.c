// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What no patch of a map or a helper can move: an op that does nothing, and one that only
 * calculates. gate runs them with the same code on both sides, to see whether the host itself
 * moved. What makes a figure wrong: a change of bpf_loop() or of the JIT, which is a change, then.
 */
#include "progs/bench_loop.bpf.h"

#define ALU_STEPS 32

static long op_empty(__u32 index, struct bench_ctx *ctx)
{
	return BENCH_NEXT;
}

/* Each step waits for the one before: the clock of the CPU and nothing else. */
static long op_alu(__u32 index, struct bench_ctx *ctx)
{
	__u64 x = ctx->rng;
	int i;

	for (i = 0; i < ALU_STEPS; i++)
		x = x * 6364136223846793005ULL + index;
	ctx->rng = x | 1;
	return BENCH_NEXT;
}

BENCH_PROG(empty, op_empty)
BENCH_PROG(alu, op_alu)
