// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Storage of a task in one of many maps, against a lookup in one of as many hash maps. One op is
 * one get; those of map 0 are the important ones. Interleaved: after every third map, map 0 once
 * more, which is then likelier to be in the task's cache of 16 storages. raw_tp, since XDP programs
 * know no task.
 */
#include "progs/bench_loop.bpf.h"

#define MOST_MAPS 1000

struct task_struct;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MOST_MAPS);
	__type(key, int);
	__type(value, int);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
			__uint(map_flags, BPF_F_NO_PREALLOC);
			__type(key, int);
			__type(value, int);
		});
} storages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MOST_MAPS);
	__type(key, int);
	__type(value, int);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_HASH);
			__uint(map_flags, BPF_F_NO_PREALLOC);
			__uint(max_entries, 4194304);
			__type(key, int);
			__type(value, int);
		});
} hash_maps SEC(".maps");

const volatile __u32 nr_maps, interleave, nr_keys;

/* The low bit of the generator's state says that map 0 is next: these benches draw nothing. */
static __always_inline __u32 next_map(struct bench_ctx *ctx)
{
	__u32 map;

	if (interleave && ctx->rng & 1) {
		ctx->rng = 0;
		return 0;
	}
	map = bench_next(ctx, nr_maps);
	ctx->rng = map % 3 == 0;
	return map;
}

static __always_inline void count_important(struct bench_ctx *ctx, __u32 map)
{
	if (!map)
		ctx->absent++;
}

static long op_storage_maps(__u32 index, struct bench_ctx *ctx)
{
	__u32 map = next_map(ctx);

	count_important(ctx, map);
	return bpf_map_lookup_elem(&storages, &map) ? BENCH_NEXT : bench_wrong(ctx, -ENOENT);
}

static long op_get(__u32 index, struct bench_ctx *ctx)
{
	__u32 map = next_map(ctx);
	void *storage = bpf_map_lookup_elem(&storages, &map);
	struct task_struct *task = bpf_get_current_task_btf();
	int *value = NULL;

	if (storage)
		value = bpf_task_storage_get(storage, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	count_important(ctx, map);
	return value ? BENCH_NEXT : bench_wrong(ctx, -ENOENT);
}

static long op_hash_map(__u32 index, struct bench_ctx *ctx)
{
	__u32 map = bench_next(ctx, nr_maps);

	count_important(ctx, map);
	ctx->drops += !(bench_random(ctx) % nr_keys + 1); /* never: only that it is drawn */
	return bpf_map_lookup_elem(&hash_maps, &map) ? BENCH_NEXT : bench_wrong(ctx, -ENOENT);
}

static long op_hash_lookup(__u32 index, struct bench_ctx *ctx)
{
	__u32 map = bench_next(ctx, nr_maps), key = bench_random(ctx) % nr_keys;
	void *hash = bpf_map_lookup_elem(&hash_maps, &map), *value = NULL;

	if (hash)
		value = bpf_map_lookup_elem(hash, &key);
	count_important(ctx, map);
	return value ? BENCH_NEXT : bench_wrong(ctx, -ENOENT);
}

BENCH_RAW_TP_PROG(walk_storages, op_storage_maps)
BENCH_RAW_TP_PROG(get, op_get)
BENCH_RAW_TP_PROG(walk_hash_maps, op_hash_map)
BENCH_RAW_TP_PROG(hash_lookup, op_hash_lookup)
