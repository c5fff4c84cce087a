// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records for user space, by a ring buffer or a perf buffer. One op is one record; a drop is one
 * that the full buffer refused. User space takes them out, and says how often it is to be woken.
 */
#include "progs/bench_loop.bpf.h"
#include "progs/ringbuf_bench.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RINGBUF_BYTES);
} ringbuf SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(int));
	__uint(value_size, sizeof(int));
} perfbuf SEC(".maps");

/* 0: the kernel decides. Else user space is woken whenever so many bytes wait, and not before. */
const volatile __u64 wakeup_bytes;

static __always_inline __u64 wakeup_flags(void)
{
	__u64 waiting;

	if (!wakeup_bytes)
		return 0;
	waiting = bpf_ringbuf_query(&ringbuf, BPF_RB_AVAIL_DATA);
	return waiting >= wakeup_bytes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
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
	bpf_ringbuf_submit(record, wakeup_flags());
	return BENCH_NEXT;
}

static long op_output(__u32 index, struct bench_ctx *ctx)
{
	__u64 record = RINGBUF_RECORD;

	if (bpf_ringbuf_output(&ringbuf, &record, sizeof(record), wakeup_flags()))
		ctx->drops++;
	return BENCH_NEXT;
}

/* The context is only looked at where a part of the packet is asked for. */
static struct xdp_md *no_packet;

static __always_inline int perf_output(void *context)
{
	__u64 record = RINGBUF_RECORD;

	return bpf_perf_event_output(context, &perfbuf, BPF_F_CURRENT_CPU, &record,
				     sizeof(record));
}

BENCH_PROG(noop, op_noop)
BENCH_PROG(reserve, op_reserve)
BENCH_PROG(output, op_output)

struct perf_ctx {
	struct bpf_raw_tracepoint_args *raw;
	__u64 drops;
};
