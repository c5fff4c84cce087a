/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What user space and the bench programs tell each other, one slot per producer.
 * Shared by BPF C and C++: fixed-width types only.
 */
#ifndef BPFGATE_BENCH_SLOT_H
#define BPFGATE_BENCH_SLOT_H

#include <linux/types.h>

#define BENCH_MAX_PRODUCERS 256

/* XDP return values of a bench program. */
enum bench_verdict {
	BENCH_OK = 0,	     /* all ops were done */
	BENCH_EXHAUSTED = 1, /* fewer than asked: the map must be refilled or emptied first */
	BENCH_WRONG = 2,     /* an op gave a wrong result; slot.error holds its return value */
	BENCH_BAD_ARGS = 3,  /* the packet did not carry a struct bench_args */
};

/* The packet that BPF_PROG_TEST_RUN hands to a bench program. At least ETH_HLEN bytes. */
struct bench_args {
	__u32 producer;
	__u32 nr_ops;	  /* at most 1 << 23, the limit of bpf_loop() */
	__u64 inject_q20; /* bench --inject: spins per ns that the ops took, in units of 2^-20 */
	__u64 spins;	  /* so many more, whatever the ops took: to time a spin */
};

/* Two cache lines each, since the adjacent-line prefetcher pairs them. */
struct bench_slot {
	/* Kept by user space between runs, moved on by the program. */
	__u64 cursor; /* number of the next key */
	__u64 rng;    /* state of the key generator for random keys */
	/* Of the last run only. */
	__u64 hits;	   /* ops that did what the bench counts */
	__u64 drops;	   /* ops that did not */
	__u64 false_hits;  /* filter said yes, map said no */
	__u64 absent;	   /* lookups of keys that are in no map */
	__u64 duration_ns; /* from the first op to the last, spins included */
	__s64 error;	   /* with BENCH_WRONG: what the op returned */
} __attribute__((aligned(128)));

#endif
