// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The table of a commit message. Lines as in the messages that published the seeds' figures: a name
// in 20 columns, then figures with their units; here those of before and after, and the change.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/gate/report/writers/writers.h"
#include "tools/gate/report/writing.h"

namespace gate
{

static constexpr size_t most_columns = 74;
static constexpr size_t name_columns = 20;

static std::string ascii(const std::string &text)
{
  std::string out;
  for (unsigned char c : one_line(text))
    if (c < 0x80)
      out += static_cast<char>(c);
    else if (c >= 0xc0) // the first byte of a character
      out += '?';
  return out;
}

namespace
{

struct Cells {
  std::string before, after, change, interval;
};

} // namespace

// After a name of at most 20 columns; in two lines where one would be too long.
static std::string columns(const Cells &cells)
{
  std::string figures = fmt::format(" {:>13} {:>13}", cells.before, cells.after);
  std::string changes = fmt::format(" {:>7} {:>17}", cells.change, cells.interval);
  if (name_columns + figures.size() + changes.size() <= most_columns)
    return figures + changes;
  return figures + "\n" + fmt::format("{:>{}}", changes, most_columns);
}

// In lines that are short enough.
static std::string broken(const std::string &text)
{
  std::string lines;
  for (size_t at = 0; at < text.size(); at += most_columns)
    lines += text.substr(at, most_columns) + "\n";
  return lines;
}

// A name that is too long has lines of its own.
static std::string with_name(const std::string &name, const Cells &cells)
{
  bool fits = name.size() <= name_columns;
  std::string text = fits ? "" : broken(name), last = fits ? name : "";
  std::string line = fmt::format("{:<{}}{}", last, name_columns, columns(cells));
  return text + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

static std::string figure(const Row &row, const std::optional<double> &value)
{
  return value ? ascii(format_figure(*value, row.unit)).substr(0, most_columns / 3) : "-";
}

// "points" is too long for a column.
static std::string short_points(std::string text)
{
  size_t at = text.find(" points");
  return at == text.npos ? text : text.replace(at, 7, " pt");
}

static Cells compared_cells(const Row &row)
{
  std::string interval = row.interval ? short_points(format_interval(row)) : to_string(row.verdict);
  if (row.method == "exact")
    interval = "exact";
  return {figure(row, row.base), figure(row, row.comp), ascii(short_points(format_change(row))),
          ascii(interval)};
}

// Without a before: the figure and its spread over loads.
static Cells plain_cells(const Row &row)
{
  std::vector<double> loads = finite(row.comp_samples);
  std::string spread;
  if (loads.size() > 1)
    spread = "+- " + ascii(format_figure(mean_stddev(loads).stddev, row.unit));
  return {"", figure(row, row.comp), "", spread};
}

namespace
{

// Rows of one benchmark and metric: a title, then a line for each set of parameters.
struct Group {
  std::string title;
  std::vector<std::pair<std::string, Cells>> lines;
};

} // namespace

static std::string joined_parameters(const Row &row, const std::set<std::string> &telling,
                                     bool values)
{
  std::string text;
  for (const auto &[name, value] : row.parameters.items())
    if (telling.count(name))
      text += (text.empty() ? "" : ", ") + (values ? value.shown() : name);
  return ascii(text);
}

static std::string title_of(const Row &row)
{
  bool plain = row.metric.empty() || row.metric == "latency";
  return ascii(plain ? row.name : row.name + " " + row.metric);
}

static std::vector<Group> group_rows(const std::vector<const Row *> &rows, bool compared)
{
  std::vector<Row> all;
  for (const Row *row : rows)
    all.push_back(*row);
  auto telling = telling_parameters(all);
  std::vector<Group> groups;
  for (const Row *row : rows) {
    const std::set<std::string> &names = telling[row->name];
    std::string title = title_of(*row);
    if (!names.empty())
      title += ", by " + joined_parameters(*row, names, false);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group &each) { return each.title == title; });
    if (group == groups.end())
      group = groups.insert(groups.end(), {title, {}});
    group->lines.emplace_back(names.empty() ? "" : "  " + joined_parameters(*row, names, true),
                              compared ? compared_cells(*row) : plain_cells(*row));
  }
  return groups;
}

static std::string table(const std::vector<Group> &groups)
{
  std::string text;
  for (const Group &group : groups) {
    bool one_line = group.lines.size() == 1 && group.lines[0].first.empty();
    if (!one_line)
      text += broken(group.title);
    for (const auto &[label, cells] : group.lines)
      text += with_name(one_line ? group.title : label, cells);
  }
  return text;
}

// Without what every such name has.
static std::string short_model(std::string model)
{
  for (const char *noise : {"(R)", "(TM)", "(r)", "(tm)", " CPU", " Processor"})
    for (size_t at; (at = model.find(noise)) != model.npos;)
      model.erase(at, std::string_view(noise).size());
  for (const char *tail : {" (family", " @"})
    model = model.substr(0, model.find(tail));
  return model;
}

static std::string kernels(const Report &report)
{
  std::string base = environment_text(report.base_environment, "kernel");
  std::string comp = environment_text(report.comp_environment, "kernel");
  if (comp.empty())
    return "kernel unknown";
  return "Linux " + (base.empty() || base == comp ? comp : base + " -> " + comp);
}

// Machine and kernel, in one line; a model's name gives way.
static std::string machine_line(const Report &report)
{
  const Value &machine = report.comp_environment;
  std::string rest = ", " + kernels(report);
  if (std::string hypervisor = environment_text(machine, "hypervisor");
      !hypervisor.empty() && hypervisor != "none")
    rest = " in " + hypervisor + rest;
  if (std::string cpus = environment_text(machine, "cpus"); !cpus.empty())
    rest = fmt::format(", {} CPU{}", cpus, cpus == "1" ? "" : "s") + rest;
  rest = ascii(rest).substr(0, most_columns);
  std::string model = ascii(short_model(environment_text(machine, "cpu_model")));
  if (model.empty())
    model = "unknown CPU";
  return model.substr(0, most_columns - rest.size()) + rest + "\n";
}

// What the figures are, as far as it is the same for all rows.
static std::string method_line(const std::vector<const Row *> &rows)
{
  size_t fewest = SIZE_MAX;
  double level = 0;
  bool apart = false;
  for (const Row *row : rows) {
    if (row->base && row->comp)
      fewest = std::min({fewest, row->base_loads, row->comp_loads});
    else if (row->comp)
      fewest = std::min(fewest, row->comp_loads);
    level = std::max(level, row->interval ? row->level : 0);
    apart |= row->method == "stored";
  }
  if (fewest == SIZE_MAX)
    return "";
  std::string text = fmt::format("Medians over {} or more fresh loads", fewest);
  if (level > 0)
    text += fmt::format("; intervals: {:.3g} % or more", 100 * (1 - 2 * level));
  return text + (apart ? ".\nBefore and after were measured apart.\n" : ".\n");
}

std::string format_commit(const Report &report)
{
  if (!report.skipped.empty())
    return "Nothing could be measured: " + ascii(report.skipped) + "\n";
  std::vector<const Row *> shown;
  for (const Row &row : report.rows)
    if (row.gated)
      shown.push_back(&row);
  bool compared = std::any_of(shown.begin(), shown.end(),
                              [](const Row *row) { return row->verdict != Verdict::New; });
  std::string head;
  if (compared)
    head = with_name("", {"before", "after", "change", "interval"});
  return machine_line(report) + "\n" + head + table(group_rows(shown, compared)) + "\n" +
         method_line(shown);
}

} // namespace gate
