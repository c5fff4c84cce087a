// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/sha256.h"

#include <fmt/format.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

namespace vmtest
{

std::string to_hex(std::string_view bytes)
{
  std::string text;
  for (unsigned char byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256_hex(std::string_view bytes)
{
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), reinterpret_cast<const uint8_t *>(bytes.data()));
  uint8_t digest[SHA256_DIGEST_SIZE];
#if NETTLE_VERSION_MAJOR < 4
  sha256_digest(&context, sizeof(digest), digest);
#else
  sha256_digest(&context, digest);
#endif
  return to_hex({reinterpret_cast<const char *>(digest), sizeof(digest)});
}

} // namespace vmtest
