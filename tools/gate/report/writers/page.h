// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The parts of the page of gate report --html. Each is complete without JavaScript; where plots are
// to be drawn there are empty boxes, which page.js fills from the data at the page's end.
#pragma once

#include <string>
#include <vector>

#include "tools/gate/report/report.h"
#include "tools/lib/json.h"

namespace gate::page
{

// Text that is nothing but text, in an element or in a quoted attribute.
std::string escape(const std::string &text);

// JSON inside a script element: no text of it ends the element.
std::string script_json(const result::json &value);

std::string verdict_section(const Report &report, const std::vector<std::string> &names);
std::string overview_section(const Report &report);
std::string table_section(const Report &report, const std::vector<std::string> &names);
std::string benchmarks_section(const Report &report, const std::vector<std::string> &names);
std::string environment_section(const Report &report);

// What page.js draws of the rows.
result::json plot_data(const Report &report, const std::vector<std::string> &names);

// A row that has figures of loads to draw.
bool has_plot(const Row &row);

// Earlier figures, as the file of --history has them; empty text: none. Throws
// result::error.
struct History {
  std::string section; // HTML; empty without history
  result::json plots = result::json::array();
};
History read_history(const std::string &text);

} // namespace gate::page
