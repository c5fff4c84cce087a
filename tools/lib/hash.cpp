// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/hash.h"

#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

#include <cstdint>

// Since nettle 4 a digest has no size of its own choice.
#if NETTLE_VERSION_MAJOR < 4
#define DIGEST(function, context, digest) function(context, sizeof(digest), digest)
#else
#define DIGEST(function, context, digest) function(context, digest)
#endif

static const uint8_t *octets(std::string_view bytes)
{
  return reinterpret_cast<const uint8_t *>(bytes.data());
}

template <size_t Size> static std::string hex_of(const uint8_t (&digest)[Size])
{
  return to_hex({reinterpret_cast<const char *>(digest), Size});
}

std::string to_hex(std::string_view bytes)
{
  constexpr const char *digits = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes)
    text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

std::string sha1_hex(std::string_view bytes)
{
  sha1_ctx context;
  sha1_init(&context);
  sha1_update(&context, bytes.size(), octets(bytes));
  uint8_t digest[SHA1_DIGEST_SIZE];
  DIGEST(sha1_digest, &context, digest);
  return hex_of(digest);
}

std::string sha256_hex(std::string_view bytes)
{
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), octets(bytes));
  uint8_t digest[SHA256_DIGEST_SIZE];
  DIGEST(sha256_digest, &context, digest);
  return hex_of(digest);
}
