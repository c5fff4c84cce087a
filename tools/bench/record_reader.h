// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Who takes records out of a ring buffer or of perf buffers: by libbpf, or by reading the shared
// memory itself. One thread uses a reader.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace bench
{

// What a reader took out so far.
struct Received {
  std::atomic<uint64_t> records{0};
  std::atomic<uint64_t> wrong{0}; // did not hold what they must
};

class RecordReader {
public:
  virtual ~RecordReader() = default;
  // Sleeps until it is woken, this long at most, then takes all that is there. Throws
  // std::system_error.
  virtual void wait(int timeout_ms) = 0;
};

// map_fd: of the ring buffer; bytes: its size. Throw bpf::error, std::system_error.
std::unique_ptr<RecordReader> ring_by_libbpf(int map_fd, Received &received);
std::unique_ptr<RecordReader> ring_by_hand(int map_fd, size_t bytes, Received &received);

// map_fd: of the perf event array, which gets a buffer of so many pages for every CPU; the reader
// is woken every so many records.
std::unique_ptr<RecordReader> perf_by_libbpf(int map_fd, size_t pages, uint32_t wakeup_records,
                                             Received &received);
std::unique_ptr<RecordReader> perf_by_hand(int map_fd, size_t pages, uint32_t wakeup_records,
                                           Received &received);

} // namespace bench
