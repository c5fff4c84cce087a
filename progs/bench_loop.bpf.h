/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop around every benched op: read the arguments from the packet, take the time, run the op
 * nr_ops times by bpf_loop(), take the time again, write the slot. A bench program is an op
 * callback and one BENCH_PROG line.
 */
#ifndef BPFGATE_BENCH_LOOP_BPF_H
#define BPFGATE_BENCH_LOOP_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <linux/errno.h>

#include "progs/bench_slot.h"

struct bench_slot bench_slots[BENCH_MAX_PRODUCERS];

/* What an op callback sees: a copy of the slot's state that stays in the cache of this CPU. */
struct bench_ctx {
	__u64 cursor;
	__u64 rng;
	__u64 drops;
	__u64 false_hits;
	__u64 absent;
	__s64 error;
	__u32 verdict; /* why the loop was stopped: BENCH_EXHAUSTED or BENCH_WRONG */
	__u32 producer;
#ifdef BENCH_CTX_PACKET
	struct xdp_md *packet; /* for helpers that want the program's own context */
#endif
};

/*
 * An op callback returns one of these to bpf_loop(). It keeps what a map helper returned in an int:
 * 6.1 leaves the upper half of a negative long zero.
 */
#define BENCH_NEXT 0
#define BENCH_STOP 1

typedef long (*bench_op)(__u32 index, struct bench_ctx *ctx);

/* Ends the loop before this op: the map must be refilled or emptied first. */
static __always_inline long bench_exhausted(struct bench_ctx *ctx)
{
	ctx->verdict = BENCH_EXHAUSTED;
	return BENCH_STOP;
}

/* Ends the loop and the bench: this op returned what it may not. */
static __always_inline long bench_wrong(struct bench_ctx *ctx, long error)
{
	ctx->error = error;
	ctx->verdict = BENCH_WRONG;
	return BENCH_STOP;
}

static long bench_spin(__u32 index, __u64 *sink)
{
	*sink = *sink * 6364136223846793005ULL + index;
	return 0;
}

#define BENCH_SPIN_CHUNK 65536

static long bench_spin_chunk(__u32 index, __u64 *sink)
{
	bpf_loop(BENCH_SPIN_CHUNK, bench_spin, sink, 0);
	return 0;
}

/* Work of a known cost per spin; in chunks, since one bpf_loop() ends at 2^23. */
static __always_inline void bench_spins(__u64 spins)
{
	__u64 sink = 0;

	bpf_loop(spins / BENCH_SPIN_CHUNK, bench_spin_chunk, &sink, 0);
	bpf_loop(spins % BENCH_SPIN_CHUNK, bench_spin, &sink, 0);
}

/* xorshift64: as cheap as a generator of keys can be, and the same on both sides of a comparison.
 */
static __always_inline __u64 bench_random(struct bench_ctx *ctx)
{
	__u64 x = ctx->rng;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	ctx->rng = x;
	return x;
}

/* The next key number, 0 to nr - 1 in turn. */
static __always_inline __u64 bench_next(struct bench_ctx *ctx, __u64 nr)
{
	__u64 key = ctx->cursor;

	ctx->cursor = key + 1 < nr ? key + 1 : 0;
	return key;
}

/* The arguments are in the packet of an XDP program; where xdp is NULL, they are given. */
static __always_inline int bench_run(struct xdp_md *xdp, struct bench_args *given, bench_op op)
{
	struct bench_args *args = xdp ? (void *)(long)xdp->data : given;
	struct bench_slot *slot;
	struct bench_ctx ctx = {};
	__u64 start, inject_q20, spins;
	__u32 nr_ops;
	long done;

	if (xdp && (void *)(args + 1) > (void *)(long)xdp->data_end)
		return BENCH_BAD_ARGS;
	nr_ops = args->nr_ops;
	inject_q20 = args->inject_q20;
	spins = args->spins;
	ctx.producer = args->producer & (BENCH_MAX_PRODUCERS - 1);
	slot = &bench_slots[ctx.producer];
	ctx.cursor = slot->cursor;
	ctx.rng = slot->rng;
#ifdef BENCH_CTX_PACKET
	ctx.packet = xdp;
#endif

	start = bpf_ktime_get_ns();
	done = bpf_loop(nr_ops, op, &ctx, 0);
	/* bench --inject: a share of what the ops just took, so that any percentage can be had. */
	if (inject_q20 || spins)
		bench_spins(spins + ((bpf_ktime_get_ns() - start) * inject_q20 >> 20));
	slot->duration_ns = bpf_ktime_get_ns() - start;

	slot->cursor = ctx.cursor;
	slot->rng = ctx.rng;
	slot->drops = ctx.drops;
	slot->false_hits = ctx.false_hits;
	slot->absent = ctx.absent;
	slot->error = ctx.error;
	if (done < 0) {
		slot->error = done;
		return BENCH_WRONG;
	}
	/* bpf_loop() counts the op that stopped it, which did no work. */
	slot->hits = done - ctx.drops - !!ctx.verdict;
	return ctx.verdict;
}

#define BENCH_PROG(name, op)                                                                       \
	SEC("xdp") int name(struct xdp_md *xdp)                                                    \
	{                                                                                          \
		return bench_run(xdp, NULL, op);                                                   \
	}

/* For helpers that XDP programs do not have. The arguments come as those of a tracepoint. */
#define BENCH_RAW_TP_PROG(name, op)                                                                \
	SEC("raw_tp") int name(struct bpf_raw_tracepoint_args *raw)                                \
	{                                                                                          \
		struct bench_args args = {.producer = raw->args[0],                                \
					  .nr_ops = raw->args[0] >> 32,                            \
					  .inject_q20 = raw->args[1],                              \
					  .spins = raw->args[2]};                                  \
                                                                                                   \
		return bench_run(NULL, &args, op);                                                 \
	}

char _license[] SEC("license") = "Dual BSD/GPL";

#endif
