/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the verifier must say to a program, written at the program and read from the object's BTF
 * by prog_tests/verifier.cpp, which loads each program alone. A program has one __accepted or
 * __refused of each kind that its kernels need:
 *
 *   __refused(EACCES, "part of the log")		on every kernel
 *   __refused_before("6.19", EINVAL, "...")		on kernels before 6.19
 *   __accepted_from("7.2")				on 7.2 and later
 *
 * Several that hold for the running kernel are alternatives: one must come true. The errno is
 * that of the load. What a kernel says where nothing holds is not known: skipped.
 */
#ifndef BPFGATE_EXPECT_BPF_H
#define BPFGATE_EXPECT_BPF_H

#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>

/* Of the kernel, not of user space. */
#define ENOTSUPP 524

#define EXPECT_TAG(text)  __attribute__((btf_decl_tag("expect:" text)))
#define EXPECT_STRING_(x) #x
#define EXPECT_STRING(x)  EXPECT_STRING_(x)

#define __refused(err, text) EXPECT_TAG("refused:0:999:" EXPECT_STRING(err) ":" text)
#define __refused_before(kernel, err, text)                                                        \
	EXPECT_TAG("refused:0:" kernel ":" EXPECT_STRING(err) ":" text)
#define __refused_from(kernel, err, text)                                                          \
	EXPECT_TAG("refused:" kernel ":999:" EXPECT_STRING(err) ":" text)

#define __accepted		  EXPECT_TAG("accepted:0:999")
#define __accepted_before(kernel) EXPECT_TAG("accepted:0:" kernel)
#define __accepted_from(kernel)	  EXPECT_TAG("accepted:" kernel ":999")

/* Loaded without CAP_PERFMON, which excuses much: only CAP_BPF and CAP_NET_ADMIN are left. */
#define __without_perfmon EXPECT_TAG("without_perfmon")
/* The map of this name is filled with "bpfgate" and frozen before the load. */
#define __frozen(map) EXPECT_TAG("frozen:" map)

#endif
