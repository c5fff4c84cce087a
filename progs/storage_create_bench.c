// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Storage made for each new socket, or for each new task, of this process. Counted by CPU.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "progs/bench_hits.bpf.h"
#include "progs/core_types.bpf.h"

struct storage {
	__u8 data[64];
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct storage);
} of_sockets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct storage);
} of_tasks SEC(".maps");

const volatile __u32 bench_pid;

__u64 errors;

static __always_inline int count(void *storage)
{
	if (storage)
		count_hit();
	else
		__sync_fetch_and_add(&errors, 1);
	return 0;
}

static __always_inline int is_ours(void)
{
	return bpf_get_current_pid_tgid() >> 32 == bench_pid;
}

SEC("lsm.s/socket_post_create")
int BPF_PROG(on_socket, struct socket *sock, int family, int type, int protocol, int kern)
{
	struct sock *sk = sock->sk;

	if (!is_ours() || !sk)
		return 0;
	return count(bpf_sk_storage_get(&of_sockets, sk, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE));
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	if (!is_ours())
		return 0;
	return count(bpf_task_storage_get(&of_tasks, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE));
}

char _license[] SEC("license") = "GPL";
