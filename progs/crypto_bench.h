/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sizes and the request of the crypto benches. Shared by BPF C and C++.
 */
#ifndef BPFGATE_CRYPTO_BENCH_H
#define BPFGATE_CRYPTO_BENCH_H

#include <linux/types.h>

#define CRYPTO_MOST_BYTES 256

struct crypto_text {
	__u8 bytes[CRYPTO_MOST_BYTES];
};

/* What bpf_crypto_ctx_create() takes (kernel/bpf/crypto.c). */
struct bpf_crypto_params {
	char type[14];
	__u8 reserved[2];
	char algo[128];
	__u8 key[256];
	__u32 key_len;
	__u32 authsize;
};

#endif
