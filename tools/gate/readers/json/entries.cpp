// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/readers/json/entries.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tools/lib/json_stream.h"

namespace gate
{

using result::json;

void read_entries(Input &input, const EntryList &list, bool partial, Collector &collector,
                  const TakeJson &take, const TakeJson &around)
{
  JsonBytes bytes(input, true);
  std::string place = fmt::format("{}: /{}", input.name(), list.member);
  auto take_one = [&](const json &, const json &entry, size_t index) {
    auto fail = [&](const std::string &what) {
      throw input_error(fmt::format("{}{}{} {}", place, *list.member ? "/" : "", index, what));
    };
    try {
      if (!entry.is_object())
        throw wrong_entry("is no object");
      take(entry);
    } catch (const wrong_entry &wrong) {
      fail(wrong.what());
    } catch (const json::exception &) {
      fail(fmt::format("is none of {}: it wants {}", list.format, list.wanted));
    }
  };
  size_t texts = 0;
  try {
    while (!bytes.at_end()) {
      json root = read_json(bytes, list.member, take_one);
      bool is_list = *list.member ? root.is_object() && root.contains(list.member) &&
                                        root[list.member].is_array()
                                  : root.is_array();
      if (!is_list)
        throw input_error(place + " is no list");
      for (size_t i = 0; root.is_array() && i < root.size(); i++)
        take_one({}, root[i], i);
      if (around)
        around(root);
      texts++;
    }
  } catch (const input_error &failure) {
    if (!partial || collector.empty())
      throw;
    collector.remark(fmt::format("only in part: {}", failure.what()));
  }
  if (texts > 1)
    collector.remark(fmt::format("{} runs in one file", texts));
}

std::optional<double> figure_of(const json &value)
{
  if (value.is_number() && std::isfinite(value.get<double>()))
    return value.get<double>();
  // "n" and "i" is what JsonBytes makes of NaN and Infinity; JMH writes "NaN" as a text.
  if (value.is_number() || value.is_null() || value == "n" || value == "i" || value == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

double figure_at(const json &entry, const char *member)
{
  auto found = entry.find(member);
  auto figure = found == entry.end() ? std::nullopt : figure_of(*found);
  if (!figure)
    throw wrong_entry(fmt::format("has no number '{}'", member));
  return *figure;
}

double figure_in_list(const json &value)
{
  auto figure = figure_of(value);
  if (!figure)
    throw wrong_entry("holds what is no number");
  return *figure;
}

std::string text_of(const json &entry, const char *member)
{
  auto found = entry.find(member);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : "";
}

Value parameters_of(const json &entry, const char *member)
{
  Value parameters = Value::object();
  if (auto found = entry.find(member); found != entry.end() && found->is_object())
    for (const auto &[name, value] : found->items())
      parameters[clean_name(name)] =
          clean_name(value.is_string() ? value.get<std::string>() : result::json_text(value));
  return parameters;
}

} // namespace gate
