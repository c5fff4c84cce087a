// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Large JSON objects of which one list makes the size: its elements are given one by one, as they
// are read, and the whole text is never in memory.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <string>

#include "tools/lib/input.h"

// Bounds of one JSON text. What is beyond them is refused by name, since it would fill memory or
// take for ever, and no tool writes it.
struct JsonBounds {
  static constexpr size_t depth = 64;
  static constexpr size_t members = 512;         // of one object
  static constexpr size_t values = 2'000'000;    // in one element of the list, or outside of it
  static constexpr size_t texts = 64 << 20;      // bytes in them, of the same
  static constexpr size_t token_bytes = 1 << 20; // of one text or number
};

// The bytes of an input for a JSON parser, under the bound on tokens.
class JsonBytes : public std::streambuf {
public:
  // words: NaN, Infinity and their like, which are no JSON but are written by some tools, become
  // the texts "n" and "i" (of the same length, so that positions stay true).
  JsonBytes(Input &input, bool words) : x_input(input), x_words(words) {}

  uint64_t position() const { return x_before + (gptr() - eback()); }
  // Skips white space; true when nothing else is left.
  bool at_end();
  const std::string &name() const { return x_input.name(); }
  std::optional<uint64_t> size() const { return x_input.size(); }

protected:
  int_type underflow() override;

private:
  void scan(size_t from);
  void replace_words();
  [[noreturn]] void fail_long();

  Input &x_input;
  bool x_words;
  std::string x_buffer;
  std::string x_held; // a word that the last piece ended in
  uint64_t x_before = 0;
  size_t x_token = 0; // bytes of the one that is being read
  bool x_in_text = false, x_escaped = false;
};

// " of 345" where the size is known, for messages.
std::string of_size(const JsonBytes &bytes);

// root: the object as far as it has been read, its list empty.
using JsonElement = std::function<void(const nlohmann::ordered_json &root,
                                       const nlohmann::ordered_json &element, size_t index)>;

// Reads one JSON value. Where it is an object whose member `list` is a list, each element goes to
// element() and the list stays empty in what is returned. Throws input_error with the byte:
// "<name>: broken JSON at byte 12 of 345: what", and what element() throws.
nlohmann::ordered_json read_json(JsonBytes &bytes, const std::string &list,
                                 const JsonElement &element);
