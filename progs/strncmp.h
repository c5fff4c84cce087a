/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sizes that the bpf_strncmp tests and their programs agree on. Shared by BPF C and C++. */
#ifndef BPFGATE_STRNCMP_H
#define BPFGATE_STRNCMP_H

#define STRNCMP_MAX   4095 /* largest size that is compared */
#define STRNCMP_ALIGN 16   /* offsets 0 to 15 of either string */

#endif
