// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Memory that this process shares with whoever has the same descriptor, mostly the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <sys/mman.h>

class SharedMemory {
public:
  SharedMemory() = default;
  // protection: PROT_READ and PROT_WRITE. Where it cannot be mapped, there is none, and errno says
  // why.
  SharedMemory(int fd, size_t offset, size_t bytes, int protection)
      : x_bytes(bytes),
        x_start(mmap(nullptr, bytes, protection, MAP_SHARED, fd, static_cast<off_t>(offset)))
  {
  }
  SharedMemory(SharedMemory &&other) noexcept
      : x_bytes(other.x_bytes), x_start(std::exchange(other.x_start, MAP_FAILED))
  {
  }
  SharedMemory &operator=(SharedMemory &&) = delete;
  ~SharedMemory()
  {
    if (*this)
      munmap(x_start, x_bytes);
  }

  explicit operator bool() const { return x_start != MAP_FAILED; }
  uint8_t *at(size_t offset) const { return static_cast<uint8_t *>(x_start) + offset; }

  // Of 8 bytes at an offset that is a multiple of 8.
  uint64_t load_acquire(size_t offset) const
  {
    return __atomic_load_n(reinterpret_cast<const uint64_t *>(at(offset)), __ATOMIC_ACQUIRE);
  }
  void store_release(size_t offset, uint64_t value) const
  {
    __atomic_store_n(reinterpret_cast<uint64_t *>(at(offset)), value, __ATOMIC_RELEASE);
  }

private:
  size_t x_bytes = 0;
  void *x_start = MAP_FAILED;
};
