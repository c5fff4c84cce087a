// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Earlier figures of the rows, as gate trend --json writes them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/gate/report/writers/page.h"
#include "tools/gate/report/writing.h"
#include "tools/lib/json.h"

namespace gate::page
{

using result::json;

namespace
{

struct PlotSeries {
  std::string title, unit;
  std::vector<std::string> labels; // of points: a run or file, and its time
  std::vector<double> values;      // NaN: a gap
  std::vector<size_t> changes;     // places of points where the level changed
};

} // namespace

[[noreturn]] static void fail(const std::string &what)
{
  throw result::error("--history: " + what);
}

static std::string text_of(const json &object, const char *name)
{
  auto found = object.find(name);
  return found == object.end() || found->is_null() ? "" : found->get<std::string>();
}

static void take_point(PlotSeries &series, const json &point, const std::string &at)
{
  if (!point.is_object() || !point.contains("value"))
    fail(at + ": a point has no value");
  const json &value = point["value"];
  series.values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                          : value.get<double>());
  std::string time = text_of(point, "time"), label = text_of(point, "label");
  series.labels.push_back(label + (label.empty() || time.empty() ? "" : ", ") + time);
}

static PlotSeries parse_series(const json &row, const std::string &at)
{
  if (!row.is_object() || !row.contains("name"))
    fail(at + " has no name");
  Row key;
  key.name = text_of(row, "name");
  if (row.contains("parameters") && row["parameters"].is_object())
    key.parameters = to_value(row["parameters"]);
  key.metric = text_of(row, "metric");
  PlotSeries series = {.title = row_title(key), .unit = text_of(row, "unit")};
  for (const json &point : row.value("points", json::array()))
    take_point(series, point, at);
  for (const json &change : row.value("changes", json::array())) {
    const json &first = change.at("first");
    if (!first.is_number_unsigned() || first.get<size_t>() >= series.values.size())
      fail(at + ": a change is at no point");
    series.changes.push_back(first.get<size_t>());
  }
  return series;
}

static std::string figure(const PlotSeries &series, size_t index)
{
  const std::string &unit = series.unit;
  std::vector<double> values = finite(series.values);
  auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::string text =
      fmt::format("{} runs: first {}, last {}, from {} to {}", values.size(),
                  format_figure(values.front(), unit), format_figure(values.back(), unit),
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
  if (!file.is_object() || file.value("schema", "") != "bpfgate-trend")
    fail("its schema is not 'bpfgate-trend': gate trend --json writes it");
  if (!file.contains("version") || file["version"] != 1)
    fail("its version is not 1");
  if (!file.contains("series") || !file["series"].is_array())
    fail("it has no list of series");
  return file["series"];
}

History read_history(const std::string &text)
{
  History history;
  if (text.empty())
    return history;
  std::string figures;
  try {
    json all = parse_file(text);
    for (size_t i = 0; i < all.size(); i++) {
      PlotSeries series = parse_series(all[i], fmt::format("/series/{}", i));
      if (finite(series.values).empty())
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
