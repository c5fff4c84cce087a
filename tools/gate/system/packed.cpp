// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/system/packed.h"

#include <fmt/format.h>
#include <zstd.h>

#include <stdexcept>

namespace gate
{

// Of a bench of 1.9 MB level 19 makes 10 % less, in five times as long (0.85 s against 0.16 s).
static constexpr int level = 12;

static size_t checked(size_t result)
{
  if (ZSTD_isError(result))
    throw std::runtime_error(fmt::format("zstd: {}", ZSTD_getErrorName(result)));
  return result;
}

std::string pack(std::string_view bytes)
{
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(
      checked(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), level)));
  return packed;
}

std::string unpack(std::string_view packed, size_t limit)
{
  // Beyond any limit where it is unknown, or no frame at all.
  unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size > limit)
    throw std::runtime_error("zstd: no frame, or one that is too large");
  std::string bytes(size, '\0');
  bytes.resize(checked(ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size())));
  return bytes;
}

} // namespace gate
