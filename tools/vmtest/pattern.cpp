// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/pattern.h"

#include <regex.h>

#include <algorithm>

namespace vmtest
{

namespace
{

class Expression {
public:
  explicit Expression(const std::string &pattern)
      : x_error(regcomp(&x_regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB))
  {
  }
  ~Expression()
  {
    if (!x_error)
      regfree(&x_regex);
  }
  Expression(const Expression &) = delete;
  Expression &operator=(const Expression &) = delete;

  std::string error() const
  {
    char text[256] = "";
    if (x_error)
      regerror(x_error, &x_regex, text, sizeof(text));
    return text;
  }
  bool found_in(const std::string &text) const
  {
    return !x_error && regexec(&x_regex, text.c_str(), 0, nullptr, 0) == 0;
  }

private:
  regex_t x_regex;
  int x_error;
};

} // namespace

std::string pattern_error(const std::string &pattern) { return Expression(pattern).error(); }

bool matches_any(const std::vector<std::string> &patterns, const std::string &text)
{
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string &pattern) {
    return Expression(pattern).found_in(text);
  });
}

} // namespace vmtest
