// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/system/git.h"

#include <algorithm>
#include <cctype>

#include "tools/gate/system/child.h"
#include "tools/gate/system/interrupt.h"

namespace gate
{

// A commit or what git describe says, and nothing that git could take for an option or a range.
static bool is_revision(const std::string &text)
{
  auto fits = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && std::isalnum(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), fits) && text.find("..") == text.npos &&
         !text.ends_with("-dirty") && text != "unknown";
}

std::string merge_base(const std::string &a, const std::string &b)
{
  constexpr long timeout_ms = 10000;
  if (!is_revision(a) || !is_revision(b))
    return "";
  try {
    Child git("/usr/bin/env", {"git", "merge-base", a, b});
    std::string line;
    if (git.read_line(line, timeout_ms) != Child::Read::Line || !is_revision(line))
      return "";
    return line;
  } catch (const interrupted_error &) {
    throw;
  } catch (const std::exception &) {
    return "";
  }
}

} // namespace gate
