// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The readers of line-based formats. All of them see every line of a text; the one whose lines were
// there has read it in one pass, however long it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tools/gate/readers/reading.h"

namespace gate
{

class LineParser {
public:
  virtual ~LineParser() = default;
  // text: as BareLines has it; number: from 1. May throw input_error.
  virtual void line(std::string_view text, size_t number) = 0;
  // Lines that only this format has: 0 when the input is something else.
  virtual size_t recognised() const = 0;
  virtual Reading finish() = 0;
};

// input: its name, for errors.
std::unique_ptr<LineParser> bench_log_parser(const std::string &input);
std::unique_ptr<LineParser> summary_table_parser(const std::string &input);
std::unique_ptr<LineParser> ktap_parser(const std::string &input);
std::unique_ptr<LineParser> go_text_parser(const std::string &input);
std::unique_ptr<LineParser> veristat_parser(const std::string &input);

// Lines without what consoles, CI and mail put around them: colours (ANSI sequences), a time stamp
// in front (2026-11-30T10:30:25.1234567Z), quoted-printable with its soft line breaks, the marks of
// a reply ("> > ").
class BareLines {
public:
  explicit BareLines(Input &input) : x_lines(input) {}
  // False at the end. line stays valid until the next call.
  bool next(std::string_view &line);
  size_t number() const { return x_lines.number(); }

private:
  bool is_encoded(std::string_view text);

  Lines x_lines;
  std::string x_joined, x_line;
  bool x_says_encoded = false; // the header of the mail
};

} // namespace gate
