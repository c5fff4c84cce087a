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
  // text: without colours, prefixes and the line's end; number: from 1. May throw input_error.
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

// Without what consoles and CI put around a line: colours (ANSI sequences), a time stamp in front
// (2026-11-30T10:30:25.1234567Z), the marks of a
// reply to a mail ("> > "), its quoted-printable. buffer: keeps the result where it is not a part
// of text.
std::string_view bare_line(std::string_view text, std::string &buffer);

} // namespace gate
