// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cctype>

#include "tools/gate/readers/line_parser.h"

namespace gate
{

// One ANSI sequence is ESC [ parameters letter, or ESC and one character.
static std::string_view without_escape(std::string_view text)
{
  if (text.size() < 2 || text[1] != '[')
    return text.substr(std::min<size_t>(2, text.size()));
  size_t end = 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~'))
    end++;
  return text.substr(std::min(end + 1, text.size()));
}

static bool has_time_stamp(std::string_view text)
{
  constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd";
  if (text.size() < shape.size() + 2)
    return false;
  for (size_t i = 0; i < shape.size(); i++)
    if (shape[i] == 'd' ? !std::isdigit(static_cast<unsigned char>(text[i])) : text[i] != shape[i])
      return false;
  return true;
}

std::string_view bare_line(std::string_view text, std::string &buffer)
{
  constexpr char escape = '\x1b';
  if (text.find(escape) != text.npos) {
    buffer.clear();
    while (!text.empty()) {
      size_t at = std::min(text.find(escape), text.size());
      buffer.append(text.substr(0, at));
      text.remove_prefix(at);
      if (!text.empty())
        text = without_escape(text);
    }
    text = buffer;
  }
  if (has_time_stamp(text))
    text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  return text;
}

} // namespace gate
