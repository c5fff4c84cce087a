// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/readers/line_pattern.h"

#include "tools/gate/readers/line_cursor.h"

namespace gate
{

// A mark, or what stands before the next blank or mark; empty at the end.
static std::string_view take_token(std::string_view &pattern)
{
  pattern.remove_prefix(std::min(pattern.find_first_not_of(' '), pattern.size()));
  std::string_view token =
      pattern.substr(0, pattern.starts_with('%') ? 2 : pattern.find_first_of(" %"));
  pattern.remove_prefix(token.size());
  return token;
}

static void walk(std::string_view pattern, LineCursor &at, LineMatch &match)
{
  for (auto token = take_token(pattern); !token.empty() && at.ok(); token = take_token(pattern)) {
    if (token[0] != '%') {
      at.literal(token);
      continue;
    }
    switch (token[1]) {
    case 'f':
      match.figures.push_back({at.number(), {}});
      break;
    case 'm': {
      double stddev = 0, mean = at.mean(stddev);
      match.figures.push_back({mean, stddev});
      break;
    }
    case 'i':
      match.numbers.push_back(at.number());
      break;
    case 'n':
      at.number();
      break;
    case 'w':
      match.words.push_back(clean_name(at.word()));
      break;
    case ':':
      match.words.push_back(clean_name(at.until(':')));
      break;
    case '*':
      at.skip_past(take_token(pattern));
      break;
    case '[': {
      std::string_view inner = pattern.substr(0, pattern.find("%]")), first = inner;
      if (at.next_is(take_token(first)))
        walk(inner, at, match);
      pattern.remove_prefix(inner.size() + 2);
      break;
    }
    default:
      at.literal("%");
    }
  }
}

std::optional<LineMatch> match_line(std::string_view pattern, std::string_view line)
{
  LineCursor at(line);
  LineMatch match;
  walk(pattern, at, match);
  return at.done() ? std::optional(std::move(match)) : std::nullopt;
}

} // namespace gate
