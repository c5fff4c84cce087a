// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The formats that gate reads. Each is one file, which registers itself: how an input of it is told
// from others, and who reads it. To add one: CONTRIBUTING.md.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tools/gate/readers/json_members.h"
#include "tools/gate/readers/reading.h"

namespace gate
{

// Reads a format that is lines. All of them see every line of an input; the one whose lines were
// there has read it in one pass, however long it is.
class LineParser {
public:
  virtual ~LineParser() = default;
  // text: as BareLines has it; number: from 1. May throw input_error.
  virtual void line(std::string_view text, size_t number) = 0;
  // Lines that only this format has: 0 when the input is something else.
  virtual size_t recognised() const = 0;
  virtual Reading finish() = 0;
};

struct LineFormat {
  const char *name; // for errors
  // Of several whose lines an input has the lowest reads it: a log may be quoted in KTAP, a table
  // in a log. From 1.
  int order;
  std::unique_ptr<LineParser> (*make)(const std::string &input); // input: its name, for errors
};

// Several texts one after another in one input, as ">>" makes them, are several runs.
struct JsonFormat {
  const char *name;
  bool (*is_it)(const JsonMembers &top);       // no two may say so of one text
  Reading (*read)(Input &input, bool partial); // throws input_error; partial: see read_results()
};

// One at the end of each reader's file.
struct Register {
  explicit Register(const LineFormat &format);
  explicit Register(const JsonFormat &format);
};

template <class Parser> std::unique_ptr<LineParser> make(const std::string &input)
{
  return std::make_unique<Parser>(input);
}

// By order, and by name. The second throws std::out_of_range for a name that there is not.
const std::multimap<int, LineFormat> &line_formats();
const JsonFormat &json_format(std::string_view name);

// An input that is lines. Throws input_error, unknown_input where no format knows it.
Reading read_lines(Input &input);

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
