// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Encryption and decryption by the kernel's ciphers (since 6.10). One op is one message; what comes
 * out is looked at by user space before it measures.
 */
#include "progs/bench_loop.bpf.h"
#include "progs/crypto_bench.h"

struct bpf_crypto_ctx {
	int unused; /* the verifier only wants a struct of that name */
} __attribute__((preserve_access_index));

struct bpf_crypto_ctx *bpf_crypto_ctx_create(const struct bpf_crypto_params *params,
					     __u32 params__sz, int *err) __ksym __weak;
void bpf_crypto_ctx_release(struct bpf_crypto_ctx *ctx) __ksym __weak;
int bpf_crypto_encrypt(struct bpf_crypto_ctx *ctx, const struct bpf_dynptr *src,
		       const struct bpf_dynptr *dst, const struct bpf_dynptr *siv) __ksym __weak;
int bpf_crypto_decrypt(struct bpf_crypto_ctx *ctx, const struct bpf_dynptr *src,
		       const struct bpf_dynptr *dst, const struct bpf_dynptr *siv) __ksym __weak;

struct holder {
	struct bpf_crypto_ctx __kptr *cipher;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct holder);
	__uint(max_entries, 1);
} holders SEC(".maps");

const volatile __u32 length = 16;

struct bpf_crypto_params request;
int setup_error;

struct crypto_text plain, sealed;
struct crypto_text outputs[BENCH_MAX_PRODUCERS]; /* by producer */

static __always_inline struct holder *the_holder(void)
{
	__u32 first = 0;

	return bpf_map_lookup_elem(&holders, &first);
}

SEC("syscall") int make_cipher(void *nothing)
{
	struct holder *holder = the_holder();
	struct bpf_crypto_ctx *cipher;
	int err = 0;

	if (!holder)
		return 0;
	cipher = bpf_crypto_ctx_create(&request, sizeof(request), &err);
	setup_error = err;
	if (!cipher)
		return 0;
	cipher = bpf_kptr_xchg(&holder->cipher, cipher);
	if (cipher)
		bpf_crypto_ctx_release(cipher);
	return 0;
}

enum op { NOTHING, ENCRYPT, DECRYPT };

static __always_inline long do_op(struct bench_ctx *ctx, struct crypto_text *from, enum op op)
{
	struct crypto_text *to = &outputs[ctx->producer & (BENCH_MAX_PRODUCERS - 1)];
	struct holder *holder = the_holder();
	struct bpf_dynptr in, out, no_iv;
	struct bpf_crypto_ctx *cipher;
	int err = 0;

	cipher = holder ? holder->cipher : NULL;
	if (!cipher)
		return bench_wrong(ctx, -ENOENT);
	bpf_dynptr_from_mem(from, length, 0, &in);
	bpf_dynptr_from_mem(to, length, 0, &out);
	bpf_dynptr_from_mem(to, 0, 0, &no_iv);
	if (op == ENCRYPT)
		err = bpf_crypto_encrypt(cipher, &in, &out, &no_iv);
	else if (op == DECRYPT)
		err = bpf_crypto_decrypt(cipher, &in, &out, &no_iv);
	return err ? bench_wrong(ctx, err) : BENCH_NEXT;
}

static long op_nothing(__u32 index, struct bench_ctx *ctx)
{
	return do_op(ctx, &plain, NOTHING);
}

static long op_encrypt(__u32 index, struct bench_ctx *ctx)
{
	return do_op(ctx, &plain, ENCRYPT);
}

static long op_decrypt(__u32 index, struct bench_ctx *ctx)
{
	return do_op(ctx, &sealed, DECRYPT);
}

BENCH_PROG(nothing, op_nothing)
BENCH_PROG(encrypt, op_encrypt)
BENCH_PROG(decrypt, op_decrypt)
