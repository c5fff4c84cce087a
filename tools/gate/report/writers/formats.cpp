// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The formats by name, and --format FORMAT[=FILE].
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "tools/gate/report/writers/writers.h"
#include "tools/lib/atomic_file.h"

namespace gate
{

using result::Better;

namespace
{
struct Format {
  const char *name;
  std::function<std::string(const Report &)> write;
};
} // namespace

static const std::vector<Format> &formats()
{
  static const std::vector<Format> all = {
      {"table", format_table},
      {"json", format_json},
      {"html", [](const Report &report) { return format_html(report); }},
      {"markdown", format_markdown},
      {"github", format_annotations},
      {"commit", format_commit},
      {"junit", format_junit},
      {"ktap", format_ktap},
      {"kcidb", format_kcidb},
      {"openmetrics", format_openmetrics},
      {"bencher", format_bencher},
      {"go-base", [](const Report &report) { return format_go(report, Side::Base); }},
      {"go-comp", [](const Report &report) { return format_go(report, Side::Comp); }},
      {"google-base", [](const Report &report) { return format_google(report, Side::Base); }},
      {"google-comp", [](const Report &report) { return format_google(report, Side::Comp); }},
      {"smaller-is-better",
       [](const Report &report) { return format_action(report, Better::Lower); }},
      {"bigger-is-better",
       [](const Report &report) { return format_action(report, Better::Higher); }},
  };
  return all;
}

std::string format_names()
{
  std::string names;
  for (const Format &format : formats())
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

static const Format *find_format(const std::string &name)
{
  auto found = std::find_if(formats().begin(), formats().end(),
                            [&](const Format &format) { return format.name == name; });
  return found == formats().end() ? nullptr : &*found;
}

Output parse_output(const std::string &text)
{
  size_t equals = text.find('=');
  Output output = {.format = text.substr(0, equals)};
  if (!find_format(output.format))
    throw std::invalid_argument(
        fmt::format("--format: '{}' is none of {}", output.format, format_names()));
  if (equals == text.npos)
    return output;
  output.path = text.substr(equals + 1);
  if (output.path.empty())
    throw std::invalid_argument(fmt::format("--format: no file behind '{}'", text));
  return output;
}

static bool takes_stdout(const Output &output)
{
  return output.path == "-" && output.format != "github";
}

void check_outputs(const std::vector<Output> &outputs)
{
  if (std::count_if(outputs.begin(), outputs.end(), takes_stdout) > 1)
    throw std::invalid_argument("two formats for the standard output: give FORMAT=FILE");
}

// Earlier steps of a job have put theirs there.
static void append_summary(const Report &report)
{
  const char *path = getenv("GITHUB_STEP_SUMMARY");
  if (!path || !*path)
    return;
  auto fail = [&] { throw std::system_error(errno, std::generic_category(), path); };
  std::unique_ptr<FILE, int (*)(FILE *)> file(fopen(path, "ae"), fclose);
  if (!file)
    fail();
  std::string text = format_markdown(report);
  if (fwrite(text.data(), 1, text.size(), file.get()) != text.size() || fflush(file.get()))
    fail();
}

bool write_outputs(const Report &report, const std::vector<Output> &outputs)
{
  for (const Output &output : outputs) {
    write_file(output.path, find_format(output.format)->write(report));
    if (output.format == "github")
      append_summary(report);
  }
  return std::any_of(outputs.begin(), outputs.end(), takes_stdout);
}

std::string without_commands(const std::string &text)
{
  std::string safe;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string line = text.substr(begin, end - begin);
    size_t first = line.find_first_not_of(" \t\r");
    for (const char *mark : {"::", "##["})
      if (first != line.npos && line.compare(first, 2, mark, 2) == 0)
        line.insert(first, "| ");
    safe += line;
    begin = end;
  }
  return safe;
}

} // namespace gate
