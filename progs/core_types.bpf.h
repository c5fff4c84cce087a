/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few kernel structs that the programs read, with only the members they need. CO-RE finds the
 * real offsets at load time, so no 2.8 MB vmlinux.h has to be parsed for each program.
 */
#ifndef BPFGATE_CORE_TYPES_BPF_H
#define BPFGATE_CORE_TYPES_BPF_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct work_struct {
	void *func;
};

struct sock;

struct socket {
	struct sock *sk;
};

struct bpf_map {
	char name[16];
	struct work_struct work;
};

#pragma clang attribute pop

#endif
