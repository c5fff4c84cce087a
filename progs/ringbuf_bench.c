// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records for user space by a ring buffer. One op is one record; a drop is one that the full buffer
 * refused. User space takes them out, and says how often it is to be woken.
 */
#include "progs/bench_loop.bpf.h"
#include "progs/ringbuf_bench.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RINGBUF_BYTES);
} ringbuf SEC(".maps");

/* 0: the kernel decides when to wake user space. Else whenever so many bytes wait, and not before.
 */
const volatile __u64 wakeup_bytes;

/* By producer: the op that wakes user space in any case, since it is the last for a while. */
__u32 last_op[BENCH_MAX_PRODUCERS];

static __always_inline __u64 wakeup_flags(__u32 index, struct bench_ctx *ctx)
{
	if (!wakeup_bytes)
		return 0;
	if (index == last_op[ctx->producer & (BENCH_MAX_PRODUCERS - 1)] ||
	    bpf_ringbuf_query(&ringbuf, BPF_RB_AVAIL_DATA) >= wakeup_bytes)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

static long op_noop(__u32 index, struct bench_ctx *ctx)
{
	return BENCH_NEXT;
}

static long op_reserve(__u32 index, struct bench_ctx *ctx)
{
	__u64 *record = bpf_ringbuf_reserve(&ringbuf, sizeof(*record), 0);

	if (!record) {
		ctx->drops++;
		return BENCH_NEXT;
	}
	*record = RINGBUF_RECORD;
	bpf_ringbuf_submit(record, wakeup_flags(index, ctx));
	return BENCH_NEXT;
}

static long op_output(__u32 index, struct bench_ctx *ctx)
{
	__u64 record = RINGBUF_RECORD;
	int err = bpf_ringbuf_output(&ringbuf, &record, sizeof(record), wakeup_flags(index, ctx));

	if (err && err != -EAGAIN)
		return bench_wrong(ctx, err);
	ctx->drops += !!err;
	return BENCH_NEXT;
}

BENCH_PROG(noop, op_noop)
BENCH_PROG(reserve, op_reserve)
BENCH_PROG(output, op_output)
