// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <fmt/format.h>

#include <array>

#include "tools/gate/readers/json_formats.h"
#include "tools/gate/readers/line_parser.h"

namespace gate
{

static constexpr const char *all_formats =
    "our result file, Google Benchmark JSON, hyperfine JSON, JMH JSON, "
    "pytest-benchmark JSON, custom JSON of github-action-benchmark, go test -json, KTAP, veristat "
    "CSV, Go benchmark "
    "text, a log of bench, a summary table";

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

static Reading read_text(Input &input);

static Reading read_json_format(Input &input, bool partial)
{
  std::string why;
  switch (json_kind(input.head(), why)) {
  case JsonKind::Result:
    return read_own(input, partial);
  case JsonKind::Google:
    return read_google_json(input, partial);
  case JsonKind::Hyperfine:
    return read_hyperfine(input, partial);
  case JsonKind::Jmh:
    return read_jmh(input);
  case JsonKind::Pytest:
    return read_pytest_benchmark(input);
  case JsonKind::Custom:
    return read_custom_json(input);
  case JsonKind::GoEvents: {
    Input text(text_of_go_json(input), input.name());
    return read_text(text);
  }
  case JsonKind::Other:
    break;
  }
  throw unknown_input(fmt::format("{}: JSON, but none that gate reads: {} (it reads {})",
                                  input.name(), why, all_formats));
}

static Reading read_text(Input &input)
{
  // By how surely their lines are theirs: a log may be quoted in KTAP, a table in a log.
  std::array parsers = {ktap_parser(input.name()), veristat_parser(input.name()),
                        go_text_parser(input.name()), bench_log_parser(input.name()),
                        summary_table_parser(input.name())};
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
                                  input.name(), lines.number(), first, all_formats));
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
  return is_json ? read_json_format(input, partial) : read_text(input);
}

Reading read_results(const std::string &path, bool partial)
{
  Input input(path);
  return read_results(input, partial);
}

} // namespace gate
