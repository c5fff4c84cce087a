// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * For the tests of profiles: an op of two functions, of which one does 20 additions that the other
 * does where they were moved. The verifier knows the constant and leaves out what does not run.
 */
#include "progs/bench_loop.bpf.h"

const volatile __u64 moved;

#define ADD_20_TIMES(x) asm volatile(".rept 20\n\t%0 += 1\n\t.endr" : "+r"(x))

static __noinline __u64 left(__u64 x)
{
	if (!moved)
		ADD_20_TIMES(x);
	return x;
}

static __noinline __u64 right(__u64 x)
{
	if (moved)
		ADD_20_TIMES(x);
	return x;
}

static long op_moved(__u32 index, struct bench_ctx *ctx)
{
	ctx->rng = right(left(ctx->rng));
	return BENCH_NEXT;
}

BENCH_PROG(moves, op_moved)
