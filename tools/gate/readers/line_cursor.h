// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Walks over one line of text. Every step either matches or makes the whole parse fail; blanks
// before a step are skipped.
#pragma once

#include <algorithm>
#include <string_view>

#include "tools/gate/readers/collector.h"

namespace gate
{

class LineCursor {
public:
  explicit LineCursor(std::string_view rest) : x_rest(rest) {}

  bool literal(std::string_view text)
  {
    blanks();
    if (!x_rest.starts_with(text))
      return x_ok = false;
    x_rest.remove_prefix(text.size());
    return x_ok;
  }
  // Takes everything up to the text and the text.
  bool skip_past(std::string_view text)
  {
    size_t at = x_rest.find(text);
    if (at == x_rest.npos)
      return x_ok = false;
    x_rest.remove_prefix(at + text.size());
    return x_ok;
  }
  // Also nan and inf, as NaN.
  double number()
  {
    blanks();
    size_t end = x_rest.find_first_not_of("+-.,0123456789eEnafiNAFI");
    std::string_view text = x_rest.substr(0, std::min(end, longest_number));
    // "12.5 ns" has a blank, "12.5M/s" and "1.24ns" have not: the longest number counts.
    for (; !text.empty(); text.remove_suffix(1))
      if (auto value = parse_figure(text)) {
        x_rest.remove_prefix(text.size());
        return *value;
      }
    x_ok = false;
    return 0;
  }
  // "mean ± stddev", whatever a console made of the sign: the mean. An escape ("=C2=B1") is no
  // sign: its digits are no figure.
  double mean(double &stddev)
  {
    double value = number();
    blanks();
    size_t end = x_rest.find_first_of(" 0123456789");
    if (x_rest.substr(0, end).find('=') != x_rest.npos)
      x_ok = false;
    x_rest.remove_prefix(std::min(end, x_rest.size()));
    stddev = number();
    return value;
  }
  // Up to the next blank; empty at the end.
  std::string_view word()
  {
    blanks();
    size_t end = std::min(x_rest.find_first_of(" \t\r"), x_rest.size());
    std::string_view text = x_rest.substr(0, end);
    x_rest.remove_prefix(end);
    x_ok = x_ok && !text.empty();
    return text;
  }
  // Up to the character, which is taken too.
  std::string_view until(char c)
  {
    blanks();
    size_t end = x_rest.find(c);
    if (end == x_rest.npos) {
      x_ok = false;
      return {};
    }
    std::string_view text = x_rest.substr(0, end);
    x_rest.remove_prefix(end + 1);
    return text;
  }
  bool next_is(std::string_view text)
  {
    blanks();
    return x_rest.starts_with(text);
  }
  bool ok() const { return x_ok; }
  // All matched and nothing is left.
  bool done()
  {
    blanks();
    return x_ok && x_rest.empty();
  }

private:
  static constexpr size_t longest_number = 64;

  void blanks()
  {
    size_t first = x_rest.find_first_not_of(" \t\r");
    x_rest.remove_prefix(std::min(first, x_rest.size()));
  }

  std::string_view x_rest;
  bool x_ok = true;
};

} // namespace gate
