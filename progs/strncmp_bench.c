// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bpf_strncmp() against the same comparison as an open-coded loop. The strings differ in the last
 * compared byte only, so that every byte is looked at, and text is the smaller one.
 */
#include "progs/bench_loop.bpf.h"

#define MAX_STR_LEN 4096

/* Frozen before loading: the verifier then knows both the length and the terminator. */
const volatile __u32 cmp_str_len = 1;
const char target[MAX_STR_LEN];
char text[MAX_STR_LEN];

/*
 * The verifier knows target's bytes, so after "equal" it knows that this is not the end: one open
 * branch per byte, which keeps 4095 of them below its limit of 8192.
 */
static __noinline int compare_bytes(const char *a, __u32 len, const char *b)
{
	for (__u32 i = 0; i < len && i < MAX_STR_LEN; i++) {
		unsigned char byte_a = a[i], byte_b = b[i];

		if (byte_a != byte_b)
			return byte_a - byte_b;
		if (!byte_a)
			break;
	}
	return 0;
}

static long op_noop(__u32 index, struct bench_ctx *ctx)
{
	return BENCH_NEXT;
}

/* As far as the compiler can see target is all zeros, and newer ones compare with that. */
static __always_inline const char *hidden_target(void)
{
	const char *hidden = target;

	barrier_var(hidden);
	return hidden;
}

static long op_no_helper(__u32 index, struct bench_ctx *ctx)
{
	int result = compare_bytes(text, cmp_str_len + 1, hidden_target());

	return result < 0 ? BENCH_NEXT : bench_wrong(ctx, result);
}

static long op_helper(__u32 index, struct bench_ctx *ctx)
{
	int result = bpf_strncmp(text, cmp_str_len + 1, target);

	return result < 0 ? BENCH_NEXT : bench_wrong(ctx, result);
}

BENCH_PROG(noop, op_noop)
BENCH_PROG(no_helper, op_no_helper)
BENCH_PROG(helper, op_helper)
