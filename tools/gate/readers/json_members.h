// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the head of a JSON text says it is. The text need be neither whole nor valid.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gate
{

// The names of the members at the top of an object, or of the first object of a list, and the text
// that follows "schema".
class JsonMembers {
public:
  explicit JsonMembers(std::string_view head);

  bool has(std::string_view name) const;
  bool is_list() const { return x_is_list; }
  const std::string &schema() const { return x_schema; }
  // In words, for an error.
  std::string describe() const;

private:
  void step(std::string_view text);
  void take_text(std::string_view text);

  bool x_is_list; // the members of what is in it are looked at
  size_t x_at = 0;
  int x_depth = 0;
  std::vector<std::string> x_names;
  std::string x_schema;
};

} // namespace gate
