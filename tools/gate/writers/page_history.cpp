// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Earlier figures of the rows, as docs/reports.md describes the file of --history.
#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/writers/page.h"
#include "tools/gate/writers/writing.h"

namespace gate::page
{

using result::json;

namespace
{

struct Series {
  std::string title, unit;
  std::vector<std::string> labels; // of points: a time, a revision
  std::vector<double> values;
  std::vector<size_t> changes; // places of points where the level changed
};

} // namespace

[[noreturn]] static void fail(const std::string &what)
{
  throw result::error("--history: " + what);
}

static Series parse_series(const json &row, const std::string &at)
{
  if (!row.is_object() || !row.contains("name") || !row["name"].is_string())
    fail(at + " has no name");
  Row key;
  key.name = row["name"].get<std::string>();
  if (row.contains("parameters") && row["parameters"].is_object())
    key.parameters = row["parameters"];
  key.metric = row.value("metric", "");
  Series series = {.title = row_title(key), .unit = row.value("unit", "")};
  for (const json &point : row.value("points", json::array())) {
    if (!point.is_object() || !point.contains("value") || !point["value"].is_number())
      fail(at + ": a point has no value");
    series.values.push_back(point["value"].get<double>());
    series.labels.push_back(point.value("label", point.value("time", "")));
  }
  for (const json &change : row.value("changes", json::array())) {
    if (!change.is_number_unsigned() || change.get<size_t>() >= series.values.size())
      fail(at + ": a change is at no point");
    series.changes.push_back(change.get<size_t>());
  }
  return series;
}

static std::string figure(const Series &series, size_t index)
{
  const std::string &unit = series.unit;
  auto [low, high] = std::minmax_element(series.values.begin(), series.values.end());
  std::string text = fmt::format("{} runs: first {}, last {}, from {} to {}", series.values.size(),
                                 format_figure(series.values.front(), unit),
                                 format_figure(series.values.back(), unit),
                                 format_figure(*low, unit), format_figure(*high, unit));
  for (size_t change : series.changes)
    text += fmt::format("; level changed at run {}{}", change + 1,
                        series.labels[change].empty() ? "" : " (" + series.labels[change] + ")");
  return fmt::format("<figure class=\"card\">\n<h3>{}</h3>\n"
                     "<div class=\"plot\" data-history=\"{}\" role=\"img\" "
                     "aria-label=\"{}\"></div>\n<figcaption>{}.</figcaption>\n</figure>\n",
                     escape(series.title), index, escape("History of " + series.title),
                     escape(text));
}

static json parse_file(const std::string &text)
{
  json file = result::parse_json(text, "--history");
  if (!file.is_object() || file.value("schema", "") != "bpfgate-history")
    fail("its schema is not 'bpfgate-history'");
  if (!file.contains("version") || file["version"] != 1)
    fail("its version is not 1");
  if (!file.contains("rows") || !file["rows"].is_array())
    fail("it has no list of rows");
  return file["rows"];
}

History read_history(const std::string &text)
{
  History history;
  if (text.empty())
    return history;
  std::string figures;
  try {
    json rows = parse_file(text);
    for (size_t i = 0; i < rows.size(); i++) {
      Series series = parse_series(rows[i], fmt::format("/rows/{}", i));
      if (series.values.empty())
        continue;
      figures += figure(series, history.plots.size());
      history.plots.push_back({{"unit", series.unit},
                               {"values", series.values},
                               {"labels", series.labels},
                               {"changes", series.changes}});
    }
  } catch (const json::exception &wrong) {
    fail("a member is of the wrong kind: " + one_line(wrong.what()));
  }
  if (!figures.empty())
    history.section =
        "<section>\n<h2>History</h2>\n<div class=\"cards\">\n" + figures + "</div>\n</section>\n";
  return history;
}

} // namespace gate::page
