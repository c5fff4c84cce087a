// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/readers/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "tools/gate/readers/format.h"

namespace gate
{

using Words = std::vector<std::string>;

// In small letters, without what says nothing: "before this patch" is "before patch".
static Words words_of(std::string_view text)
{
  Words words(1);
  for (char c : text)
    if (auto letter = static_cast<unsigned char>(c); std::isalnum(letter) || letter >= 0x80)
      words.back() += static_cast<char>(std::tolower(letter));
    else if (!words.back().empty())
      words.emplace_back();
  std::erase_if(words, [](const std::string &word) {
    return word.empty() || word == "the" || word == "this" || word == "our" || word == "my";
  });
  return words;
}

namespace
{

struct Section {
  std::string name;
  Words words;
  size_t line = 0; // of its heading; 0: not found
  std::string text;
};

} // namespace

static Words::const_iterator find_words(const Words &line, const Words &name)
{
  return std::search(line.begin(), line.end(), name.begin(), name.end());
}

// "before", and "before patch" with names of one word.
static bool is_alone(const Words &line, const Words &name)
{
  constexpr std::array nouns = {"patch",  "patches", "patchset", "series",
                                "change", "changes", "commit"};
  return std::all_of(line.begin() + static_cast<long>(name.size()), line.end(),
                     [&](const std::string &word) {
                       return std::find(nouns.begin(), nouns.end(), word) != nouns.end();
                     });
}

// Alone on its line, marked as a heading, or before a colon at the end; prose is none of it.
static bool is_heading(std::string_view text, const Words &line, const Words &name)
{
  constexpr size_t most_words = 8;
  auto place = find_words(line, name);
  if (place == line.end() || line.size() > most_words)
    return false;
  size_t last = text.find_last_not_of(" \t*_`~");
  if (text[last] == ':')
    return true;
  bool marked = std::string_view("#=*[<_~-").find(text[text.find_first_not_of(" \t")]) !=
                std::string_view::npos;
  return place == line.begin() && text[last] != '.' && text[last] != ',' &&
         (marked || is_alone(line, name));
}

// The section that this line is the heading of, if any. A line that has both names is of the longer
// one where that has the shorter in it ("with patch", "patch"), else it is of neither.
static Section *find_section(std::array<Section, 2> &sections, std::string_view text)
{
  constexpr size_t longest = 1000;
  std::string_view shown = text.substr(0, longest);
  Words line = words_of(shown.substr(0, shown.find('(', 1))); // "Before (v6.12)"
  auto &[one, other] = sections;
  bool is_one = is_heading(text, line, one.words), is_other = is_heading(text, line, other.words);
  if (is_one && is_other) {
    is_one = find_words(one.words, other.words) != one.words.end();
    is_other = find_words(other.words, one.words) != other.words.end();
  }
  return is_one && !is_other ? &one : is_other && !is_one ? &other : nullptr;
}

// Where a message ends for certain.
static bool is_end(std::string_view text)
{
  return text.starts_with("diff --git ") || text == "-- ";
}

static std::array<Section, 2> split(Input &input, const std::array<std::string, 2> &names)
{
  constexpr size_t most_bytes = 64 << 20;
  std::array<Section, 2> sections;
  for (size_t i = 0; i < 2; i++)
    sections[i] = {.name = names[i], .words = words_of(names[i])};
  if (sections[0].words == sections[1].words || sections[0].words.empty() ||
      sections[1].words.empty())
    throw input_error(
        fmt::format("--sections: '{}' and '{}' are not two names", names[0], names[1]));
  BareLines lines(input);
  Section *into = nullptr;
  for (std::string_view line; lines.next(line);) {
    if (is_end(line))
      break;
    Section *begun = find_section(sections, line);
    if (begun && begun->line)
      throw input_error(fmt::format("{}: section '{}' begins in line {} and again in line {}",
                                    input.name(), begun->name, begun->line, lines.number()));
    if (begun) {
      into = begun;
      into->line = lines.number();
      into->text.assign(into->line, '\n'); // errors tell the lines of the whole
    } else if (into) {
      into->text.append(line).push_back('\n');
    }
    if (into && into->text.size() > most_bytes)
      throw input_error(fmt::format("{}: more than {} MiB in a section: take two files",
                                    input.name(), most_bytes >> 20));
  }
  return sections;
}

std::array<Reading, 2> read_sections(Input &input, const std::array<std::string, 2> &names)
{
  std::array<Section, 2> sections = split(input, names);
  std::array<Reading, 2> readings;
  for (size_t i = 0; i < 2; i++) {
    if (!sections[i].line)
      throw input_error(fmt::format("{}: no section '{}': a line such as '{}:' begins it",
                                    input.name(), names[i], names[i]));
    Input text(std::move(sections[i].text),
               fmt::format("{}, section '{}'", input.name(), names[i]));
    readings[i] = read_results(text);
  }
  return readings;
}

std::array<Reading, 2> read_sections(const std::string &path,
                                     const std::array<std::string, 2> &names)
{
  Input input(path);
  return read_sections(input, names);
}

} // namespace gate
