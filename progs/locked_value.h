/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A map value under a spin lock, as BPF C and C++ see it. It spans several cache lines, so that a
 * copy that is not done under the lock would be seen in parts.
 */
#ifndef BPFGATE_LOCKED_VALUE_H
#define BPFGATE_LOCKED_VALUE_H

#include <linux/bpf.h>

#define LOCKED_WORDS 31

struct locked_value {
	struct bpf_spin_lock lock;
	__u32 pad;
	__u64 words[LOCKED_WORDS];
};

#endif
