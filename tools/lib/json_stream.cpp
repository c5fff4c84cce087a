// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/json_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <istream>

using json = nlohmann::ordered_json;

std::string of_size(const JsonBytes &bytes)
{
  return bytes.size() ? fmt::format(" of {}", *bytes.size()) : "";
}

// ---- bytes ----

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Of a number or a bare word.
static bool is_word(char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
}

void JsonBytes::fail_long()
{
  throw input_error(fmt::format("{}: a text or number of more than {} bytes, at byte {}{}", name(),
                                JsonBounds::token_bytes, x_before, of_size(*this)));
}

// Which bytes are inside texts, and how long each token is.
void JsonBytes::scan(size_t from)
{
  size_t token_start = from - x_token;
  for (size_t i = from; i < x_buffer.size(); i++) {
    char c = x_buffer[i];
    if (x_escaped) {
      x_escaped = false;
    } else if (x_in_text) {
      x_escaped = c == '\\';
      x_in_text = c != '"';
    } else if (c == '"') {
      x_in_text = true;
      token_start = i;
    } else if (!is_word(c)) {
      token_start = i + 1;
    }
  }
  x_token = x_buffer.size() - token_start;
  if (x_token > JsonBounds::token_bytes)
    fail_long();
}

static std::string lower(std::string_view word)
{
  std::string text(word);
  for (char &c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "-nan" becomes "n" in quotes and a blank.
static void replace_word(char *word, size_t length)
{
  if (length < 3 || length > 9)
    return;
  std::string text = lower({word, length});
  std::string_view bare = text;
  if (bare[0] == '-' || bare[0] == '+')
    bare.remove_prefix(1);
  bool nan = bare == "nan", infinite = bare == "inf" || bare == "infinity";
  if (!nan && !infinite)
    return;
  std::fill(word, word + length, ' ');
  word[0] = word[2] = '"';
  word[1] = nan ? 'n' : 'i';
}

// Called with whole words only.
void JsonBytes::replace_words()
{
  bool in_text = x_in_text, escaped = x_escaped;
  size_t word = x_buffer.npos;
  for (size_t i = 0; i <= x_buffer.size(); i++) {
    char c = i < x_buffer.size() ? x_buffer[i] : ' ';
    if (!in_text && is_word(c)) {
      word = word == x_buffer.npos ? i : word;
      continue;
    }
    if (word != x_buffer.npos)
      replace_word(x_buffer.data() + word, i - word);
    word = x_buffer.npos;
    if (escaped)
      escaped = false;
    else if (in_text && c == '\\')
      escaped = true;
    else if (c == '"')
      in_text = !in_text;
  }
}

JsonBytes::int_type JsonBytes::underflow()
{
  x_before += egptr() - eback();
  std::string_view piece = x_input.take();
  x_buffer = std::exchange(x_held, "");
  x_buffer.append(piece);
  if (x_words && !piece.empty()) {
    // The end of the piece may cut a word in two.
    size_t end = x_buffer.size();
    while (end > 0 && x_buffer.size() - end < 16 && is_word(x_buffer[end - 1]))
      end--;
    if (x_buffer.size() - end < 16 && end > 0) {
      x_held = x_buffer.substr(end);
      x_buffer.resize(end);
    }
  }
  if (x_words)
    replace_words();
  scan(0);
  setg(x_buffer.data(), x_buffer.data(), x_buffer.data() + x_buffer.size());
  return x_buffer.empty() ? traits_type::eof() : traits_type::to_int_type(x_buffer[0]);
}

bool JsonBytes::at_end()
{
  for (int_type c = sgetc(); c != traits_type::eof(); c = snextc())
    if (!is_space(traits_type::to_char_type(c)))
      return false;
  return true;
}

// ---- values ----

namespace
{

// The end of "[json.exception.parse_error.101] parse error at line 1, column 2: what".
std::string parser_message(const char *what)
{
  std::string text = what;
  size_t bracket = text.find("] ");
  if (bracket != std::string::npos)
    text.erase(0, bracket + 2);
  size_t colon = text.find(": ");
  if (colon != std::string::npos && text.starts_with("parse error"))
    text.erase(0, colon + 2);
  return printable(text, 200);
}

// Builds values as a parser meets them, and gives away the elements of the list.
class Builder : public nlohmann::json_sax<json> {
public:
  Builder(JsonBytes &bytes, const std::string &list, const JsonElement &element)
      : x_bytes(bytes), x_list(list), x_element(element), x_start(bytes.position())
  {
  }

  json take() { return std::move(x_root); }

  bool null() override { return add(json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &) override { return add(value); }
  bool string(string_t &value) override
  {
    count_text(value);
    return add(std::move(value));
  }
  bool binary(binary_t &) override { return false; }

  bool key(string_t &name) override
  {
    if (x_open.back()->size() >= JsonBounds::members)
      fail(fmt::format("an object of more than {} members", JsonBounds::members));
    count_text(name);
    x_key = std::move(name);
    return true;
  }

  bool start_object(size_t) override { return open(json::object()); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override
  {
    bool is_list = x_open.size() == 1 && x_root.is_object() && x_key == x_list && !x_list.empty();
    open(json::array());
    if (is_list) {
      x_streaming = true;
      x_index = 0;
    }
    return true;
  }
  bool end_array() override { return close(); }

  bool parse_error(size_t position, const std::string &, const json::exception &failure) override
  {
    throw input_error(fmt::format("{}: broken JSON at byte {}{}: {}", x_bytes.name(),
                                  x_start + (position ? position - 1 : 0), of_size(x_bytes),
                                  parser_message(failure.what())));
  }

private:
  // Depth of what is directly in the list.
  static constexpr size_t list_depth = 2;

  [[noreturn]] void fail(const std::string &what) const
  {
    throw input_error(fmt::format("{}: {} near byte {}{}", x_bytes.name(), what, x_bytes.position(),
                                  of_size(x_bytes)));
  }

  void count()
  {
    if (++(x_streaming ? x_element_values : x_root_values) > JsonBounds::values)
      fail(fmt::format("more than {} values in one element", JsonBounds::values));
  }

  void count_text(const std::string &text)
  {
    size_t &bytes = x_streaming ? x_element_texts : x_root_texts;
    bytes += text.size();
    if (bytes > JsonBounds::texts)
      fail(fmt::format("more than {} bytes of text in one element", JsonBounds::texts));
  }

  bool in_list() const { return x_streaming && x_open.size() == list_depth; }

  json *place(json &&value)
  {
    count();
    if (x_open.empty())
      return &(x_root = std::move(value));
    if (in_list())
      return &(x_part = std::move(value));
    json &parent = *x_open.back();
    if (parent.is_object())
      return &(parent[x_key] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool add(json value)
  {
    place(std::move(value));
    give();
    return true;
  }

  bool open(json value)
  {
    if (x_open.size() >= JsonBounds::depth)
      fail(fmt::format("nested deeper than {} levels", JsonBounds::depth));
    x_open.push_back(place(std::move(value)));
    return true;
  }

  bool close()
  {
    if (in_list()) {
      x_streaming = false;
      x_open.pop_back();
      return true;
    }
    x_open.pop_back();
    give();
    return true;
  }

  void give()
  {
    if (!in_list())
      return;
    x_element(x_root, x_part, x_index++);
    x_part = json();
    x_element_values = x_element_texts = 0;
  }

  JsonBytes &x_bytes;
  const std::string &x_list;
  const JsonElement &x_element;
  uint64_t x_start;
  json x_root, x_part;
  std::vector<json *> x_open;
  std::string x_key;
  bool x_streaming = false;
  size_t x_index = 0, x_element_values = 0, x_root_values = 0;
  size_t x_element_texts = 0, x_root_texts = 0;
};

} // namespace

json read_json(JsonBytes &bytes, const std::string &list, const JsonElement &element)
{
  Builder builder(bytes, list, element);
  std::istream stream(&bytes);
  json::sax_parse(stream, &builder, json::input_format_t::json, false);
  return builder.take();
}
