// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/report/layout.h"

#include <algorithm>

namespace gate
{

static size_t width_of(const std::string &text)
{
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string in_columns(const std::vector<std::vector<std::string>> &lines, size_t first_right,
                       const std::vector<std::string> &notes)
{
  std::vector<size_t> widths(lines.empty() ? 0 : lines[0].size());
  for (const auto &line : lines)
    for (size_t i = 0; i < widths.size(); i++)
      widths[i] = std::max(widths[i], width_of(line.at(i)));
  std::string text;
  for (size_t n = 0; n < lines.size(); n++) {
    for (size_t i = 0; i < widths.size(); i++) {
      std::string blanks(widths[i] - width_of(lines[n][i]), ' ');
      bool right = i >= first_right && i + 1 < widths.size();
      text += (right ? blanks + lines[n][i] : lines[n][i] + blanks) + "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
    if (n < notes.size() && !notes[n].empty())
      text += "    " + notes[n] + "\n";
  }
  return text;
}

} // namespace gate
