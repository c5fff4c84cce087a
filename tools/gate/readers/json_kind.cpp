// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Which JSON format an input has. Only its beginning is looked at, which need not be whole or
// valid.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tools/gate/readers/json_formats.h"

namespace gate
{

namespace
{

// The names of the members at the top of an object, and the text that follows "schema".
class Members {
public:
  explicit Members(std::string_view text)
      : x_is_list(
            text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('['))
  {
    for (x_at = 0; x_at < text.size(); x_at++)
      step(text);
  }

  bool has(std::string_view name) const
  {
    return std::find(x_names.begin(), x_names.end(), name) != x_names.end();
  }
  bool is_list() const { return x_is_list; }
  const std::string &schema() const { return x_schema; }
  const std::vector<std::string> &names() const { return x_names; }

private:
  void step(std::string_view text)
  {
    char c = text[x_at];
    if (c == '{' || c == '[')
      x_depth++;
    else if (c == '}' || c == ']')
      x_depth--;
    else if (c == '"')
      take_text(text);
  }

  void take_text(std::string_view text)
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

  bool x_is_list; // the members of what is in it are looked at
  size_t x_at = 0;
  int x_depth = 0;
  std::vector<std::string> x_names;
  std::string x_schema;
};

} // namespace

static std::string describe(const Members &members)
{
  if (members.schema() == "bpfgate-report")
    return "a report of gate, not what it was made of";
  if (!members.schema().empty())
    return fmt::format("its \"schema\" is \"{}\"", printable(members.schema(), 40));
  std::vector<std::string> names;
  for (const std::string &name : members.names())
    if (names.size() < 5)
      names.push_back(printable(name, 20));
  if (names.empty())
    return "no object with members";
  return fmt::format("its members are {}", fmt::join(names, ", "));
}

JsonKind json_kind(std::string_view head, std::string &why)
{
  Members members(head);
  if (members.is_list()) {
    if (members.has("jmhVersion") || members.has("primaryMetric"))
      return JsonKind::Jmh;
    if (members.has("name") && members.has("unit") && members.has("value"))
      return JsonKind::Custom;
    why = "a list, " + describe(members);
    return JsonKind::Other;
  }
  if (members.has("Action") && (members.has("Package") || members.has("Time")))
    return JsonKind::GoEvents;
  if (members.has("machine_info"))
    return JsonKind::Pytest;
  if (members.schema() == result::schema_name)
    return JsonKind::Result;
  if (members.schema().empty() && (members.has("context") || members.has("benchmarks")))
    return JsonKind::Google;
  if (members.has("results"))
    return JsonKind::Hyperfine;
  why = describe(members);
  return JsonKind::Other;
}

} // namespace gate
