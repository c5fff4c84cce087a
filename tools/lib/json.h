// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The JSON of results: the type that reads and writes it, and what converts. Included only where
// JSON is read or written; what a result holds is in result.h.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/lib/result.h"
#include "tools/lib/value.h"

// Found by the library, so that a Value stands in JSON as it is.
void to_json(nlohmann::ordered_json &out, const Value &value);
Value to_value(const nlohmann::ordered_json &json);

namespace result
{

using json = nlohmann::ordered_json;

// The text of a value: on one line, or with that many blanks a level. What is no UTF-8 is replaced
// by U+FFFD. One function for all, since the library's own is compiled anew in each unit that names
// it.
std::string json_text(const json &value, int indent = -1);

// One JSON text, under the bounds of json_stream.h. Throws error: "<where>: broken JSON at byte
// N of M: what".
json parse_json(const std::string &text, const std::string &where);

json to_json(const Tool &tool);
json to_json(const Metric &metric, bool with_samples = true);
json to_json(const Benchmark &benchmark, bool with_samples = true);

// Throw error; where: what errors begin with, for example the file, then pointer.
Benchmark benchmark_from_json(const json &value, const std::string &where,
                              const std::string &pointer = "");
Tool tool_from_json(const json &value, const std::string &where, const std::string &pointer = "");

} // namespace result
