// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <fmt/format.h>

#include <map>

#include "tools/gate/readers/format.h"

namespace gate
{

// Filled before main(), in no order that is known.
static std::multimap<int, LineFormat> &lines_known()
{
  static std::multimap<int, LineFormat> by_order;
  return by_order;
}
static std::map<std::string_view, JsonFormat> &json_known()
{
  static std::map<std::string_view, JsonFormat> by_name;
  return by_name;
}

Register::Register(const LineFormat &format) { lines_known().emplace(format.order, format); }
Register::Register(const JsonFormat &format) { json_known().emplace(format.name, format); }

const std::multimap<int, LineFormat> &line_formats() { return lines_known(); }
const JsonFormat &json_format(std::string_view name) { return json_known().at(name); }

static std::string all_formats()
{
  std::string names = "our result file";
  for (const auto &[name, format] : json_known())
    names += std::string(", ") + format.name;
  for (const auto &[order, format] : line_formats())
    names += std::string(", ") + format.name;
  return names;
}

static constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

static Reading read_own(Input &input, bool partial)
{
  std::string broken;
  Reading reading{.format = "result file"};
  reading.result = result::read_result(input, partial ? &broken : nullptr);
  if (!broken.empty())
    reading.remarks.push_back("only in part: " + broken);
  return reading;
}

static Reading read_json_format(Input &input, bool partial)
{
  JsonMembers top(input.head());
  if (!top.is_list() && top.schema() == result::schema_name)
    return read_own(input, partial);
  for (const auto &[name, format] : json_known())
    if (format.is_it(top))
      return format.read(input, partial);
  throw unknown_input(fmt::format("{}: JSON, but none that gate reads: {} (it reads {})",
                                  input.name(), top.describe(), all_formats()));
}

Reading read_lines(Input &input)
{
  std::vector<std::unique_ptr<LineParser>> parsers;
  for (const auto &[order, format] : line_formats())
    parsers.push_back(format.make(input.name()));
  BareLines lines(input);
  std::string first;
  for (std::string_view line; lines.next(line);) {
    if (first.empty() && line.find_first_not_of(" \t") != line.npos)
      first = fmt::format("line {} is '{}'", lines.number(), printable(line, 60));
    for (const auto &parser : parsers)
      parser->line(line, lines.number());
  }
  for (const auto &parser : parsers)
    if (parser->recognised())
      return parser->finish();
  throw unknown_input(fmt::format("{}: nothing that gate reads in {} lines; {} (it reads {})",
                                  input.name(), lines.number(), first, all_formats()));
}

static void refuse_binary(const Input &input, std::string_view head)
{
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff"))
    throw unknown_input(fmt::format("{}: UTF-16, gate reads UTF-8", input.name()));
  if (head.starts_with("\x1f\x8b") || head.starts_with("\x28\xb5\x2f\xfd") ||
      head.starts_with("\xfd"
                       "7zXZ"))
    throw unknown_input(fmt::format("{}: compressed, unpack it first", input.name()));
}

Reading read_results(Input &input, bool partial)
{
  std::string_view head = input.head();
  if (head.starts_with(byte_order_mark))
    head.remove_prefix(byte_order_mark.size());
  size_t start = head.find_first_not_of(" \t\r\n");
  if (head.empty() || (start == head.npos && head.size() < 1000))
    throw unknown_input(fmt::format("{}: empty", input.name()));
  refuse_binary(input, head);
  // A log may begin with the kernel's "[   12.345678]".
  size_t next = start != head.npos && head[start] == '['
                    ? head.find_first_not_of(" \t\r\n", start + 1)
                    : start;
  bool is_json = next != head.npos && head[next] == '{';
  return is_json ? read_json_format(input, partial) : read_lines(input);
}

Reading read_results(const std::string &path, bool partial)
{
  Input input(path);
  return read_results(input, partial);
}

} // namespace gate
