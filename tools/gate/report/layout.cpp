// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/report/layout.h"

#include <algorithm>

namespace gate
{

static size_t width_of(const std::string &text)
{
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string in_columns(const std::vector<std::vector<std::string>> &lines)
{
  std::vector<size_t> widths(lines.empty() ? 0 : lines[0].size());
  for (const auto &line : lines)
    for (size_t i = 0; i < widths.size(); i++)
      widths[i] = std::max(widths[i], width_of(line.at(i)));
  std::string text;
  for (const auto &line : lines) {
    for (size_t i = 0; i < widths.size(); i++)
      text += line[i] + std::string(widths[i] - width_of(line[i]) + 2, ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

} // namespace gate
