// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JSON whose list is given away element by element: the same values as from a parser that keeps
// all, the place of each error, the bounds.
#include "tools/lib/json_stream.h"

#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using json = nlohmann::ordered_json;

namespace
{

struct Read {
  json root;
  std::vector<json> elements;
};

} // namespace

static Read read_text(const std::string &text, const std::string &list = "list", bool words = false)
{
  Input input(text, "f");
  JsonBytes bytes(input, words);
  Read read;
  read.root = read_json(bytes, list, [&](const json &, const json &element, size_t index) {
    expect_eq(index, read.elements.size());
    read.elements.push_back(element);
  });
  return read;
}

TEST(json_stream_gives_elements)
{
  Read read = read_text(R"({"a": [1, {"list": [2]}], "list": [3, null, [4, [5]], {"b": {"c": "x"}},
                            "s"], "d": true})");
  expect_eq(read.root.dump(), std::string(R"({"a":[1,{"list":[2]}],"list":[],"d":true})"));
  expect_eq(json(read.elements).dump(), std::string(R"([3,null,[4,[5]],{"b":{"c":"x"}},"s"])"));
}

TEST(json_stream_reads_what_a_parser_reads)
{
  for (const char *text :
       {"{}", "[]", "3", "\"x\"", "null", R"({"list": []})", R"({"list": 3})", R"([{"list": [1]}])",
        R"({"a": {"b": [1.5, -2, 1e3, true, false, "\u00e4\n"]}, "c": [[], {}]})",
        "{\"a\": 18446744073709551615, \"b\": -9223372036854775808}"}) {
    Read read = read_text(text, "no such list");
    expect_eq(read.root.dump(), json::parse(text).dump());
  }
}

TEST(json_stream_texts_one_after_another)
{
  Input input("{\"list\": [1]}\n {\"list\": [2]}  \n", "f");
  JsonBytes bytes(input, false);
  int sum = 0;
  size_t texts = 0;
  for (; !bytes.at_end(); texts++)
    read_json(bytes, "list",
              [&](const json &, const json &element, size_t) { sum += element.get<int>(); });
  expect_eq(texts, 2u);
  expect_eq(sum, 3);
}

TEST(json_stream_errors_tell_the_byte)
{
  auto fails = [](const std::string &text, const char *message) {
    expect_throws([&] { read_text(text); }, message);
  };
  fails(R"({"list": [1, 2)", "f: broken JSON at byte 14 of 14");
  fails(R"({"list": [1, x]})", "f: broken JSON at byte 13 of 16");
  fails(R"({"a": 1e999})", "f: broken JSON at byte");
  fails("", "f: broken JSON at byte 0 of 0");
  fails(std::string(100, '['), "nested deeper than 64 levels");
  std::string flat = "[";
  for (size_t i = 0; i <= JsonBounds::values; i++)
    flat += "1,";
  fails(flat, "more than 2000000 values");
}

TEST(json_stream_turns_bare_words_into_texts)
{
  auto words = [](const std::string &text) { return read_text(text, "", true).root.dump(); };
  expect_eq(words("[NaN, -nan, Infinity, -inf, +Inf, 1.5]"),
            std::string(R"(["n","n","i","i","i",1.5])"));
  expect_eq(words(R"(["NaN", "a\"NaN", true, null])"),
            std::string(R"(["NaN","a\"NaN",true,null])"));
  expect_throws([&] { words("[nano]"); }, "broken JSON");
  expect_throws([] { read_text("[NaN]"); }, "broken JSON at byte");
}

// The pieces of an input end anywhere: also inside of a word.
TEST(json_stream_words_at_the_end_of_a_piece)
{
  TemporaryDirectory here;
  for (size_t pad = (64 << 10) - 12; pad < (64 << 10) + 2; pad++) {
    write_file(here / "f", "[" + std::string(pad, ' ') + "-Infinity, NaN]");
    Input input(here / "f");
    JsonBytes bytes(input, true);
    expect_eq(read_json(bytes, "", {}).dump(), std::string(R"(["i","n"])"));
  }
}
