// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a result says beside its figures, parameters and environment: scalars, and lists and objects
// of them. A plain type, so that what only carries it needs no JSON library; tools/lib/json.h
// converts where it is read and written.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

class Value {
public:
  using List = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Object = std::vector<Member>; // in the order of the file

  Value(); // null
  Value(const Value &other);
  Value(Value &&other) noexcept;
  Value &operator=(const Value &other);
  Value &operator=(Value &&other) noexcept;
  ~Value();

  // NOLINTBEGIN(google-explicit-constructor): a member is set to what it is.
  template <std::same_as<bool> Flag> Value(Flag flag) : x_value(flag) {}
  Value(double number);
  Value(const char *text);
  Value(std::string_view text);
  Value(std::string text);
  Value(List list);
  Value(Object members);
  // {{"name", value}, ...} is an object.
  Value(std::initializer_list<Member> members);
  template <std::signed_integral Whole> Value(Whole whole) : Value(Signed{whole}) {}
  template <std::unsigned_integral Whole>
  requires(!std::same_as<Whole, bool>) Value(Whole whole) : Value(Unsigned{whole}) {}
  // NOLINTEND(google-explicit-constructor)

  static Value object();
  static Value list();

  bool is_null() const;
  bool is_boolean() const;
  bool is_whole() const; // a number without a fraction or an exponent
  bool is_number() const;
  bool is_string() const;
  bool is_list() const;
  bool is_object() const;

  // Throw std::bad_variant_access where it is something else.
  bool flag() const;
  double number() const;
  int64_t whole() const;
  uint64_t unsigned_whole() const; // of a whole number that is not negative
  const std::string &text() const;
  const List &items_of_list() const;

  // "" where it is no text.
  std::string text_or_empty() const;

  // Members of an object; those of anything else are none. null where there is no such member.
  const Object &items() const;
  const Value *find(std::string_view name) const;
  Value *find(std::string_view name);
  bool contains(std::string_view name) const { return find(name); }
  // The member. Throws std::out_of_range where there is none.
  const Value &at(std::string_view name) const;
  // The member as text, "" where it is absent or no text.
  std::string text_of(std::string_view name) const;

  // Null becomes an object, a name that is new a member. Throws std::bad_variant_access.
  Value &operator[](std::string_view name);
  void erase(std::string_view name);
  // Null becomes a list. Throws std::bad_variant_access.
  void push_back(Value item);
  bool empty() const; // no members, no items
  size_t size() const;

  // As JSON, on one line. Bytes that are not UTF-8 become U+FFFD.
  std::string dump() const;
  // Text as it is, all else as dump().
  std::string shown() const;

  // Numbers are equal by value, 1 and 1.0 too; objects with the same members in the same order.
  friend bool operator==(const Value &one, const Value &other);

private:
  struct Signed {
    int64_t whole;
  };
  struct Unsigned {
    uint64_t whole;
  };
  explicit Value(Signed whole);
  explicit Value(Unsigned whole);

  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, List, Object> x_value;
};
