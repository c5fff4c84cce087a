// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that run when a task gets another name, by the way they are attached. Each only counts,
 * so that user space knows that it ran.
 */
#include "progs/bench_hits.bpf.h"

/* Not atomic: none of these is preempted, and nothing but the CPU itself counts here. */
#define HOOK(name, section)                                                                        \
	SEC(section) int name(void *ctx)                                                           \
	{                                                                                          \
		++*hits_of_this_cpu();                                                             \
		return 0;                                                                          \
	}

HOOK(on_kprobe, "kprobe/__set_task_comm")
HOOK(on_kretprobe, "kretprobe/__set_task_comm")
HOOK(on_raw_tp, "raw_tp/task_rename")
HOOK(on_fentry, "fentry/__set_task_comm")
HOOK(on_fexit, "fexit/__set_task_comm")

char _license[] SEC("license") = "Dual BSD/GPL";
