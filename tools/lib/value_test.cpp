// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/value.h"

#include "tools/lib/json.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;

TEST(value_is_written_as_it_was_read)
{
  for (const char *text : {"null", "true", "-3", "18446744073709551615", "1.5", "\"a\\\"b\"",
                           "[1,[],{}]", "{\"z\":1,\"a\":{\"b\":[null,false]}}"})
    expect_eq(to_value(result::json::parse(text)).dump(), std::string(text));
}

TEST(value_bytes_that_are_no_utf8_are_replaced)
{
  expect_eq(Value("a\xff").dump(), std::string("\"a\xef\xbf\xbd\""));
}

TEST(value_numbers_are_equal_by_value)
{
  expect(Value(1) == Value(1.0));
  expect(Value(1u) == Value(1));
  expect(!(Value(-1) == Value(UINT64_MAX)));
  expect(!(Value(1) == Value(true)));
  expect(!(Value(1) == Value("1")));
}

TEST(value_members_keep_their_order_and_are_found)
{
  Value value = {{"b", 1}, {"a", "x"}};
  value["c"] = Value::List{1, 2};
  expect_eq(value.dump(), std::string(R"({"b":1,"a":"x","c":[1,2]})"));
  expect_eq(value.text_of("a"), std::string("x"));
  expect_eq(value.text_of("b"), std::string()); // no text
  value.erase("b");
  expect(!value.contains("b") && value.size() == 2);
  expect(Value("text").find("a") == nullptr);
}

TEST(value_null_becomes_what_is_put_in)
{
  Value value;
  value["list"].push_back(1);
  expect_eq(value.dump(), std::string(R"({"list":[1]})"));
}

TEST(value_of_another_kind_throws)
{
  expect_throws([] { Value("1").number(); }, "wrong index");
  expect_throws([] { Value(1)["a"] = 2; }, "wrong index");
  expect_throws([] { Value(1).at("a"); }, "no member 'a'");
}
