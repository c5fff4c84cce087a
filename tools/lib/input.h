// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What is read, piece by piece: a file, a pipe, the standard input or a text in memory. However
// long it is, one piece of it is in memory, and whoever reads knows at which byte or line he is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

// Input that cannot be read or makes no sense. what() is one line: the input's name, what is wrong
// and where.
class input_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class Input {
public:
  // Opens the file; "-" is the standard input. Throws input_error.
  explicit Input(const std::string &path);
  // A text in memory. name: what errors call it.
  Input(std::string text, std::string name);
  ~Input();
  Input(const Input &) = delete;
  Input &operator=(const Input &) = delete;

  // The first piece, at most 64 KiB, without taking it away. Throws input_error, as take() does.
  std::string_view head();
  // The next piece, valid until the next call; empty at the end.
  std::string_view take();

  const std::string &name() const { return x_name; }
  // In bytes, where it is known before the end.
  std::optional<uint64_t> size() const { return x_size; }

private:
  struct File;
  void fill();

  std::string x_name;
  std::unique_ptr<File> x_file; // empty: a text in memory
  std::string x_piece;
  std::optional<uint64_t> x_size;
  bool x_filled = false;
};

// The lines of an input, without their end ("\n", "\r\n"). A line longer than max_line is given cut
// off there: no line of any format is as long, and a file without a newline must not fill memory.
class Lines {
public:
  static constexpr size_t max_line = 64 << 10;

  explicit Lines(Input &input) : x_input(input) {}
  // False at the end. line stays valid until the next call.
  bool next(std::string_view &line);
  size_t number() const { return x_number; } // of the last line, from 1

private:
  bool append_piece();

  Input &x_input;
  std::string_view x_rest;
  std::string x_line; // of a line that spans two pieces
  size_t x_number = 0;
};

// Bytes of anything as they may be shown in one line: what is no printable ASCII is '?', and what
// is longer than most is cut with "...".
std::string printable(std::string_view text, size_t most = 80);
