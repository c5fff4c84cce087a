// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/value.h"

#include <algorithm>
#include <stdexcept>

#include "tools/lib/json.h"

Value::Value() = default;
Value::Value(const Value &other) = default;
Value::Value(Value &&other) noexcept = default;
Value &Value::operator=(const Value &other) = default;
Value &Value::operator=(Value &&other) noexcept = default;
Value::~Value() = default;

Value::Value(double number) : x_value(number) {}
Value::Value(const char *text) : x_value(std::string(text)) {}
Value::Value(std::string_view text) : x_value(std::string(text)) {}
Value::Value(std::string text) : x_value(std::move(text)) {}
Value::Value(List list) : x_value(std::move(list)) {}
Value::Value(Object members) : x_value(std::move(members)) {}
Value::Value(std::initializer_list<Member> members) : x_value(Object(members)) {}
Value::Value(Signed whole) : x_value(whole.whole) {}
Value::Value(Unsigned whole) : x_value(whole.whole) {}

Value Value::object() { return Object(); }
Value Value::list() { return List(); }

bool Value::is_null() const { return std::holds_alternative<std::monostate>(x_value); }
bool Value::is_boolean() const { return std::holds_alternative<bool>(x_value); }
bool Value::is_whole() const
{
  return std::holds_alternative<int64_t>(x_value) || std::holds_alternative<uint64_t>(x_value);
}
bool Value::is_number() const { return is_whole() || std::holds_alternative<double>(x_value); }
bool Value::is_string() const { return std::holds_alternative<std::string>(x_value); }
bool Value::is_list() const { return std::holds_alternative<List>(x_value); }
bool Value::is_object() const { return std::holds_alternative<Object>(x_value); }

bool Value::flag() const { return std::get<bool>(x_value); }

double Value::number() const
{
  if (const auto *whole = std::get_if<int64_t>(&x_value))
    return static_cast<double>(*whole);
  if (const auto *whole = std::get_if<uint64_t>(&x_value))
    return static_cast<double>(*whole);
  return std::get<double>(x_value);
}

int64_t Value::whole() const
{
  const auto *whole = std::get_if<uint64_t>(&x_value);
  return whole ? static_cast<int64_t>(*whole) : std::get<int64_t>(x_value);
}

uint64_t Value::unsigned_whole() const
{
  const auto *whole = std::get_if<int64_t>(&x_value);
  return whole ? static_cast<uint64_t>(*whole) : std::get<uint64_t>(x_value);
}

const std::string &Value::text() const { return std::get<std::string>(x_value); }

const Value::List &Value::items_of_list() const { return std::get<List>(x_value); }

std::string Value::text_or_empty() const { return is_string() ? text() : ""; }

const Value::Object &Value::items() const
{
  static const Object none;
  const auto *object = std::get_if<Object>(&x_value);
  return object ? *object : none;
}

const Value *Value::find(std::string_view name) const
{
  for (const auto &[member, value] : items())
    if (member == name)
      return &value;
  return nullptr;
}

Value *Value::find(std::string_view name)
{
  return const_cast<Value *>(std::as_const(*this).find(name));
}

const Value &Value::at(std::string_view name) const
{
  if (const Value *found = find(name))
    return *found;
  throw std::out_of_range("no member '" + std::string(name) + "'");
}

std::string Value::text_of(std::string_view name) const
{
  const Value *found = find(name);
  return found ? found->text_or_empty() : "";
}

Value &Value::operator[](std::string_view name)
{
  if (is_null())
    x_value = Object();
  auto &members = std::get<Object>(x_value);
  if (Value *found = find(name))
    return *found;
  return members.emplace_back(std::string(name), Value()).second;
}

void Value::erase(std::string_view name)
{
  if (auto *members = std::get_if<Object>(&x_value))
    std::erase_if(*members, [&](const Member &member) { return member.first == name; });
}

void Value::push_back(Value item)
{
  if (is_null())
    x_value = List();
  std::get<List>(x_value).push_back(std::move(item));
}

size_t Value::size() const { return is_list() ? items_of_list().size() : items().size(); }
bool Value::empty() const { return size() == 0; }

std::string Value::dump() const { return result::json_text(*this); }

std::string Value::shown() const { return is_string() ? text() : dump(); }

bool operator==(const Value &one, const Value &other)
{
  if (!one.is_number() || !other.is_number())
    return one.x_value == other.x_value;
  if (!one.is_whole() || !other.is_whole())
    return one.number() == other.number();
  auto negative = [](const Value &value) {
    const auto *whole = std::get_if<int64_t>(&value.x_value);
    return whole && *whole < 0;
  };
  return negative(one) == negative(other) && one.whole() == other.whole();
}

void to_json(nlohmann::ordered_json &out, const Value &value)
{
  using json = nlohmann::ordered_json;
  if (value.is_object()) {
    out = json::object();
    for (const auto &[name, member] : value.items())
      out.emplace(name, member);
  } else if (value.is_list()) {
    out = json::array();
    for (const Value &item : value.items_of_list())
      out.push_back(item);
  } else if (value.is_string()) {
    out = value.text();
  } else if (value.is_boolean()) {
    out = value.flag();
  } else if (value.is_whole() && value.number() < 0) {
    out = value.whole();
  } else if (value.is_whole()) {
    out = value.unsigned_whole();
  } else if (value.is_number()) {
    out = value.number();
  } else {
    out = nullptr;
  }
}

Value to_value(const nlohmann::ordered_json &json)
{
  if (json.is_object()) {
    Value::Object members;
    for (const auto &[name, member] : json.items())
      members.emplace_back(name, to_value(member));
    return members;
  }
  if (json.is_array()) {
    Value::List list;
    for (const auto &item : json)
      list.push_back(to_value(item));
    return list;
  }
  if (json.is_string())
    return json.get<std::string>();
  if (json.is_boolean())
    return json.get<bool>();
  if (json.is_number_unsigned())
    return json.get<uint64_t>();
  if (json.is_number_integer())
    return json.get<int64_t>();
  if (json.is_number())
    return json.get<double>();
  return {};
}
