/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What user space asks of the programs map_ops.c and map_stress.c, and what they answer.
 * Shared by BPF C and C++: fixed-width types only.
 */
#ifndef BPFGATE_MAP_REQUEST_H
#define BPFGATE_MAP_REQUEST_H

#include <linux/types.h>

#define MAP_REQUEST_KEY_MAX 512

enum map_request_op {
	MAP_UPDATE = 0,
	MAP_LOOKUP = 1,
	MAP_ERASE = 2,
	MAP_ADD_IN_PLACE = 3, /* adds value through the pointer that the lookup gave */
	MAP_OVERWRITE = 4,    /* overwrites twice, reads through the pointer of before */
};

struct map_request {
	__u32 op;
	__s32 ret; /* what the helper returned; a lookup: 0 or -ENOENT */
	__u64 flags;
	__u64 value;  /* in: to store; out: what was found */
	__u64 old[2]; /* MAP_OVERWRITE: through the old pointer, after each overwrite */
	__u8 key[MAP_REQUEST_KEY_MAX];
};

#endif
