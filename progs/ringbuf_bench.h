/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records of the ring buffer and perf buffer benches. Shared by BPF C and C++.
 */
#ifndef BPFGATE_RINGBUF_BENCH_H
#define BPFGATE_RINGBUF_BENCH_H

#define RINGBUF_RECORD	     0x62706667617465ULL /* what each record holds, in eight bytes */
#define RINGBUF_RECORD_BYTES 16 /* what it takes of the ring, its header included */
#define RINGBUF_BYTES	     (512 * 1024)
#define PERFBUF_PAGES	     128 /* for each CPU */

#endif
