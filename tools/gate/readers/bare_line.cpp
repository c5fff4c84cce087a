// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <algorithm>
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

// A line of quoted-printable ends in one '=' where the text goes on, at 76 characters or a little
// before. A rule of "=====" does not.
static bool goes_on(std::string_view text, bool is_mail)
{
  constexpr size_t shortest = 60, longest = 76;
  return text.ends_with('=') && !text.ends_with("==") &&
         (is_mail || (text.size() >= shortest && text.size() <= longest));
}

// "=C2=B1" is the sign before a deviation as mail encodes it: no text that is not encoded has it.
bool BareLines::is_encoded(std::string_view text)
{
  constexpr std::string_view header = "content-transfer-encoding:", name = "quoted-printable";
  auto same = [](char one, char other) { return std::tolower(one) == other; };
  if (text.size() > header.size() &&
      std::equal(header.begin(), header.end(), text.begin(),
                 [&](char one, char other) { return same(other, one); }))
    x_says_encoded =
        std::search(text.begin(), text.end(), name.begin(), name.end(), same) != text.end();
  return x_says_encoded || text.find("=C2=B1") != text.npos;
}

bool BareLines::next(std::string_view &line)
{
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  constexpr char escape = '\x1b';
  if (!x_lines.next(line))
    return false;
  if (x_lines.number() == 1 && line.starts_with(byte_order_mark))
    line.remove_prefix(byte_order_mark.size());
  bool encoded = is_encoded(line);
  if (goes_on(line, encoded)) {
    x_joined.clear();
    bool more = true;
    for (; more && goes_on(line, encoded) && x_joined.size() < Lines::max_line;
         more = x_lines.next(line))
      x_joined.append(line.substr(0, line.size() - 1));
    line = more ? x_joined.append(line) : x_joined;
    encoded = true;
  }
  if (line.find(escape) != line.npos) {
    x_line.clear();
    while (!line.empty()) {
      size_t at = std::min(line.find(escape), line.size());
      x_line.append(line.substr(0, at));
      line.remove_prefix(at);
      if (!line.empty())
        line = without_escape(line);
    }
    line = x_line;
  }
  if (has_time_stamp(line))
    line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
  if (encoded)
    line = x_line = decode(line);
  line = without_quote(line);
  return true;
}

} // namespace gate
