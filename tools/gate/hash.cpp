// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/hash.h"

#include <fmt/format.h>

#include <boost/uuid/detail/sha1.hpp>

namespace gate
{

std::string content_hash(std::string_view bytes)
{
  boost::uuids::detail::sha1 sha1;
  sha1.process_bytes(bytes.data(), bytes.size());
  unsigned digest[5];
  sha1.get_digest(digest);
  std::string text;
  for (unsigned word : digest)
    text += fmt::format("{:08x}", word);
  return text;
}

} // namespace gate
