// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/perf_ring.h"

#include <sys/syscall.h>

#include <algorithm>
#include <cstring>

PerfRing::PerfRing(perf_event_attr attributes, int cpu, size_t pages)
    : x_page(static_cast<size_t>(sysconf(_SC_PAGESIZE))), x_bytes(pages * x_page),
      x_event(static_cast<int>(
          syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC))),
      x_memory(x_event.get(), 0, x_page + x_bytes, PROT_READ | PROT_WRITE)
{
}

void PerfRing::copy(uint64_t position, void *to, size_t bytes) const
{
  size_t start = position & (x_bytes - 1), first = std::min(bytes, x_bytes - start);
  memcpy(to, x_memory.at(x_page + start), first);
  memcpy(static_cast<uint8_t *>(to) + first, x_memory.at(x_page), bytes - first);
}
