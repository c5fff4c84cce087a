// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/row_name.h"

#include <fmt/format.h>

#include <sstream>

namespace gate
{

static bool word_matches(const std::string &word, const Value &parameters,
                         const std::string &metric)
{
  if (word == metric)
    return true;
  size_t equals = word.find('=');
  const Value *found = parameters.find(word.substr(0, equals));
  return equals != word.npos && found && found->shown() == word.substr(equals + 1);
}

bool row_matches(const std::string &text, const std::string &name, const Value &parameters,
                 const std::string &metric)
{
  // Names of other tools may have blanks.
  if (!text.starts_with(name) || (text.size() > name.size() && text[name.size()] != ' '))
    return false;
  std::istringstream words(text.substr(name.size()));
  for (std::string word; words >> word;)
    if (!word_matches(word, parameters, metric))
      return false;
  return true;
}

std::string row_text(const std::string &name, const Value &parameters, const std::string &metric)
{
  std::string text = name;
  for (const auto &[parameter, value] : parameters.items())
    text += fmt::format(" {}={}", parameter, value.shown());
  return metric.empty() ? text : text + " " + metric;
}

} // namespace gate
