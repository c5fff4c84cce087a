// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cctype>

#include "tools/gate/readers/format.h"

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

// A reply quotes with any run of '>' and blanks. What is indented behind it stays so.
static std::string_view without_quote(std::string_view text)
{
  size_t end = std::min(text.find_first_not_of("> \t"), text.size());
  size_t last = text.substr(0, end).rfind('>');
  if (last == text.npos)
    return text;
  text.remove_prefix(last + 1);
  if (text.starts_with(' '))
    text.remove_prefix(1);
  return text;
}

// A byte of quoted-printable, "=C2"; -1: there is none.
static int escaped_byte(std::string_view text)
{
  auto digit = [&](size_t at) {
    char c = at < text.size() ? text[at] : ' ';
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  int high = digit(1), low = digit(2);
  return text.starts_with('=') && high >= 0 && low >= 0 ? 16 * high + low : -1;
}

// "=C2=B1" is the sign before a deviation as mail encodes it: no text that is not encoded has it.
static bool is_quoted_printable(std::string_view text) { return text.find("=C2=B1") != text.npos; }

static std::string decode(std::string_view text)
{
  std::string decoded;
  while (!text.empty()) {
    int byte = escaped_byte(text);
    decoded += byte < 0 ? text[0] : static_cast<char>(byte);
    text.remove_prefix(byte < 0 ? 1 : 3);
  }
  return decoded;
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
  if (is_quoted_printable(text))
    text = buffer = decode(text);
  return without_quote(text);
}

} // namespace gate
