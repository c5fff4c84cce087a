// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/readers/json_members.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/lib/input.h"

namespace gate
{

JsonMembers::JsonMembers(std::string_view head)
    : x_is_list(
          head.substr(std::min(head.find_first_not_of(" \t\r\n"), head.size())).starts_with('['))
{
  for (; x_at < head.size(); x_at++)
    step(head);
}

bool JsonMembers::has(std::string_view name) const
{
  return std::find(x_names.begin(), x_names.end(), name) != x_names.end();
}

void JsonMembers::step(std::string_view text)
{
  char c = text[x_at];
  if (c == '{' || c == '[')
    x_depth++;
  else if (c == '}' || c == ']')
    x_depth--;
  else if (c == '"')
    take_text(text);
}

void JsonMembers::take_text(std::string_view text)
{
  constexpr size_t most_names = 100;
  size_t start = x_at + 1;
  for (x_at = start; x_at < text.size() && text[x_at] != '"'; x_at++)
    if (text[x_at] == '\\')
      x_at++;
  if (x_depth != 1 + x_is_list || x_at >= text.size())
    return;
  std::string word(text.substr(start, std::min<size_t>(x_at - start, 100)));
  size_t next = text.find_first_not_of(" \t\r\n", x_at + 1);
  bool is_name = next != text.npos && text[next] == ':';
  if (is_name && x_names.size() < most_names)
    x_names.push_back(word);
  else if (!x_names.empty() && x_names.back() == "schema" && x_schema.empty())
    x_schema = word;
}

std::string JsonMembers::describe() const
{
  if (x_schema == "bpfgate-report")
    return "a report of gate, not what it was made of";
  if (!x_schema.empty())
    return fmt::format("its \"schema\" is \"{}\"", printable(x_schema, 40));
  std::vector<std::string> names;
  for (const std::string &name : x_names)
    if (names.size() < 5)
      names.push_back(printable(name, 20));
  std::string list = x_is_list ? "a list, " : "";
  if (names.empty())
    return list + "no object with members";
  return fmt::format("{}its members are {}", list, fmt::join(names, ", "));
}

} // namespace gate
