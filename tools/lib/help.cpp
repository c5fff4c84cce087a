// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace
{

constexpr size_t screen_width = 80, most_indent = 30;

// What stands left, and the words that are wrapped to its right.
struct Line {
  std::string names, text;
};

std::string wrapped(const std::string &text, size_t indent)
{
  std::istringstream words(text);
  std::string all, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > screen_width) {
      all += line + '\n' + std::string(indent, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return all + line;
}

std::string packed(const std::vector<std::string> &names)
{
  std::string all, line;
  for (const std::string &name : names) {
    if (!line.empty() && line.size() + 2 + name.size() > screen_width) {
      all += line + '\n';
      line.clear();
    }
    line += "  " + name;
  }
  return line.empty() ? all : all + line + '\n';
}

size_t indent_of(const std::vector<Line> &lines)
{
  size_t longest = 0;
  for (const Line &line : lines)
    if (!line.text.empty() && line.names.size() + 4 <= most_indent)
      longest = std::max(longest, line.names.size());
  return longest + 4;
}

std::string in_lines(const std::vector<Line> &lines, size_t indent)
{
  std::string all;
  std::vector<std::string> bare;
  for (const Line &line : lines) {
    if (line.text.empty()) {
      bare.push_back(line.names);
      continue;
    }
    std::string left = "  " + line.names;
    all += left.size() + 2 > indent ? left + '\n' + std::string(indent, ' ')
                                    : left + std::string(indent - left.size(), ' ');
    all += wrapped(line.text, indent) + '\n';
  }
  return all + packed(bare);
}

std::string value_of(const CLI::Option &option)
{
  if (option.get_expected_max() == 0 || option.get_type_size_max() == 0)
    return "";
  return " " +
         (option.get_option_text().empty() ? option.get_type_name() : option.get_option_text());
}

// Where programs are typed behind a command ("bpfgate gate"), it says so in BPFGATE_COMMAND.
std::string command_before()
{
  const char *command = std::getenv("BPFGATE_COMMAND");
  return command != nullptr && *command != '\0' ? std::string(command) + ' ' : "";
}

// Examples are indented by two and begin with the name of the program.
std::string behind_command(std::string examples, const std::string &program)
{
  std::string command = command_before(), begin = "  " + program + ' ';
  for (size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    if (examples.compare(at, begin.size(), begin) == 0)
      examples.insert(at + 2, command);
    end = examples.find('\n', at);
  }
  return examples;
}

class Help : public CLI::FormatterBase {
public:
  std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode) const override
  {
    std::string text = usage(*app, name) + wrapped(app->get_description(), 0) + "\n\n";
    std::vector<Line> commands;
    for (const CLI::App *command : app->get_subcommands([](const CLI::App *) { return true; }))
      commands.push_back({command->get_name(), command->get_description()});
    text += in_lines(commands, indent_of(commands));
    std::vector<Line> all = lines_of(*app, [](const CLI::Option &) { return true; });
    size_t indent = indent_of(all);
    text += in_lines(
        lines_of(*app, [](const CLI::Option &option) { return option.get_positional(); }), indent);
    for (const std::string &group : app->get_groups()) {
      if (group.empty())
        continue;
      if (group != "Options")
        text += group + ":\n";
      text += in_lines(lines_of(*app,
                                [&](const CLI::Option &option) {
                                  return !option.get_positional() && option.get_group() == group;
                                }),
                       indent);
    }
    if (app->get_footer().empty())
      return text;
    return text + '\n' + behind_command(app->get_footer(), name.substr(0, name.find(' ')));
  }

private:
  static std::string usage(const CLI::App &app, const std::string &name)
  {
    std::string text = "Usage: " + command_before() + name;
    if (!app.get_subcommands([](const CLI::App *) { return true; }).empty())
      return text + " COMMAND [OPTIONS]\n";
    text += " [OPTIONS]";
    for (const CLI::Option *option : app.get_options())
      if (option->get_positional()) {
        std::string each = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
        text += option->get_required() ? " " + each : " [" + each + "]";
      }
    return text + (app.get_allow_extras() ? " [BENCH ARGS...]\n" : "\n");
  }

  template <class Wanted> static std::vector<Line> lines_of(const CLI::App &app, Wanted wanted)
  {
    std::vector<Line> lines;
    for (const CLI::Option *option : app.get_options()) {
      if (option->get_group().empty() || !wanted(*option))
        continue;
      if (!option->get_positional())
        lines.push_back(
            {option->get_name(false, true) + value_of(*option), option->get_description()});
      else if (!option->get_description().empty())
        lines.push_back({option->get_name(true), option->get_description()});
    }
    return lines;
  }
};

} // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<Help>(); }
