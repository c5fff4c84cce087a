// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The records that one event of perf writes for one CPU (perf_event_open(2), "MMAP layout").
#pragma once

#include <linux/perf_event.h>

#include "tools/lib/fd.h"
#include "tools/lib/shared_memory.h"

class PerfRing {
public:
  // pages: of the records, a power of two. Where the kernel gives no such event or no memory for
  // it, or the CPU is offline, there is none, and errno says why.
  PerfRing(perf_event_attr attributes, int cpu, size_t pages);

  explicit operator bool() const { return bool(x_memory); }
  int fd() const { return x_event.get(); }

  // Calls take(header, copy) for each record that is there, and gives it back. copy(to, bytes)
  // copies so much of it, the header first.
  template <class Take> void take_all(Take take)
  {
    constexpr size_t tail_at = offsetof(perf_event_mmap_page, data_tail);
    uint64_t tail = x_memory.load_acquire(tail_at);
    uint64_t head = x_memory.load_acquire(offsetof(perf_event_mmap_page, data_head));
    while (tail != head) {
      perf_event_header header;
      copy(tail, &header, sizeof(header));
      take(header, [&](void *to, size_t bytes) { copy(tail, to, bytes); });
      tail += header.size;
    }
    x_memory.store_release(tail_at, tail);
  }

private:
  // A record may go on at the beginning of the ring.
  void copy(uint64_t position, void *to, size_t bytes) const;

  size_t x_page, x_bytes;
  Fd x_event;
  SharedMemory x_memory;
};
