// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/bpf_names.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <vector>

// Behind the page of the head: a power of two, enough for some thousand records.
static constexpr size_t page_bytes = 4096, ring_bytes = 64 * page_bytes;

namespace
{

// Behind the header of a record.
struct KernelSymbol {
  uint64_t address;
  uint32_t bytes;
  uint16_t type, flags;
  // and the name, which ends in 0
};

} // namespace

BpfNames::BpfNames()
{
  perf_event_attr attr = {};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof(attr);
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.ksymbol = 1;
  x_event =
      Fd(static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!x_event)
    return;
  void *memory =
      mmap(nullptr, page_bytes + ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, x_event.get(), 0);
  if (memory != MAP_FAILED)
    x_ring = static_cast<char *>(memory);
}

BpfNames::~BpfNames()
{
  if (x_ring)
    munmap(x_ring, page_bytes + ring_bytes);
}

void BpfNames::take(const char *record, size_t size)
{
  perf_event_header header;
  memcpy(&header, record, sizeof(header));
  KernelSymbol symbol;
  x_lost |= header.type == PERF_RECORD_LOST;
  if (header.type != PERF_RECORD_KSYMBOL || size < sizeof(header) + sizeof(symbol))
    return;
  memcpy(&symbol, record + sizeof(header), sizeof(symbol));
  const char *name = record + sizeof(header) + sizeof(symbol);
  if (symbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
    x_names.erase(symbol.address);
  else if (symbol.type == PERF_RECORD_KSYMBOL_TYPE_BPF)
    x_names[symbol.address].assign(name, strnlen(name, size - (name - record)));
}

void BpfNames::take_records()
{
  auto *page = reinterpret_cast<perf_event_mmap_page *>(x_ring);
  uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
  uint64_t tail = page->data_tail;
  while (tail < head) {
    auto copy = [&](void *to, size_t size) { // a record may go on at the ring's beginning
      for (size_t i = 0; i < size; i++)
        static_cast<char *>(to)[i] = x_ring[page_bytes + (tail + i) % ring_bytes];
    };
    perf_event_header header;
    copy(&header, sizeof(header));
    std::vector<char> record(header.size);
    copy(record.data(), record.size());
    take(record.data(), record.size());
    tail += record.size();
  }
  std::atomic_ref(page->data_tail).store(tail, std::memory_order_release);
}

bool BpfNames::complete()
{
  if (x_ring)
    take_records();
  return x_ring && !x_lost;
}

std::string BpfNames::lines()
{
  std::string text;
  for (const auto &[address, name] : x_names)
    text += fmt::format("{:016x} t {}\t[bpf]\n", address, name);
  return text;
}
