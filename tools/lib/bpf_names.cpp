// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/bpf_names.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

// Enough for some thousand records.
static constexpr size_t ring_pages = 64;

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

static perf_event_attr symbols_attributes()
{
  perf_event_attr attributes = {};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof(attributes);
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.ksymbol = 1;
  return attributes;
}

BpfNames::BpfNames() : x_ring(symbols_attributes(), 0, ring_pages) {}

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

bool BpfNames::complete()
{
  if (x_ring)
    x_ring.take_all([this](const perf_event_header &header, auto copy) {
      std::vector<char> record(header.size);
      copy(record.data(), record.size());
      take(record.data(), record.size());
    });
  return x_ring && !x_lost;
}

std::string BpfNames::lines()
{
  std::string text;
  for (const auto &[address, name] : x_names)
    text += fmt::format("{:016x} t {}\t[bpf]\n", address, name);
  return text;
}
