// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * For the tests of profiles: an op of two functions, 5 and 25 additions, of which 20 move from one
 * to the other. The verifier knows the constant and leaves out what does not run, the branch too.
 */
#include "progs/bench_loop.bpf.h"

const volatile __u64 moved;

#define ADD(x, times) asm volatile(".rept " #times "\n\t%0 += 1\n\t.endr" : "+r"(x))

static __noinline __u64 left(__u64 x)
{
	if (moved)
		ADD(x, 5);
	else
		ADD(x, 25);
	return x;
}

static __noinline __u64 right(__u64 x)
{
	if (moved)
		ADD(x, 25);
	else
		ADD(x, 5);
	return x;
}

static long op_moved(__u32 index, struct bench_ctx *ctx)
{
	ctx->rng = right(left(ctx->rng));
	return BENCH_NEXT;
}

BENCH_PROG(moves, op_moved)
