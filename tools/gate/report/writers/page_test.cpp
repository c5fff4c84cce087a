// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The page as text; what a browser makes of it is in formats_test.py.
#include "tools/gate/testing/report_fixture.h"

using namespace unit_test;
using namespace gate;

TEST(page_loads_nothing_and_takes_no_name_for_markup)
{
  std::string text = format_html(all_verdicts());
  expect_has(text, "default-src 'none'");
  expect_no(text, "<b>");
  expect_has(text, "<h1 id=\"verdict\">2 of 10 rows regressed");
  for (const char *attribute : {" src=", "<link", "@import", "url("})
    expect_no(text, attribute);
  expect_eq(count_of(text, "data-row=\""), 10u);
  expect_eq(count_of(text, "</script>"), 2u);
}

TEST(page_shows_history)
{
  std::string history = R"({"schema": "bpfgate-trend", "version": 1, "series": [
    {"name": "lookup", "parameters": {"n": 1}, "metric": "latency", "unit": "ns/op",
     "points": [{"value": 1.5, "label": "<i>"}, {"value": null, "time": null},
                {"value": 2.5, "label": "run 3", "time": "then"}],
     "changes": [{"first": 2, "p": 0.001}]},
    {"name": "empty", "points": [{"value": null}]}]})";
  std::string text = format_html(all_verdicts(), history);
  expect_has(text, "<h2>History</h2>");
  expect_has(text, "2 runs: first 1.5 ns/op, last 2.5 ns/op");
  expect_has(text, "level changed at run 3 (run 3, then)");
  expect_no(text, "<i>");
  auto wrong = [](const std::string &file, const char *what) {
    expect_throws([&] { format_html({}, file); }, what);
  };
  std::string head = R"({"schema": "bpfgate-trend", "version": 1, "series": )";
  wrong("{}", "its schema");
  wrong(R"({"schema": "bpfgate-trend", "version": 2, "series": []})", "its version");
  wrong(head + "1}", "no list of series");
  wrong(head + "[{}]}", "/series/0 has no name");
  wrong(head + R"([{"name": "a", "points": [{}]}]})", "a point has no value");
  wrong(head + R"([{"name": "a", "points": [{"value": 1}], "changes": [{"first": 1}]}]})",
        "at no point");
  for (const char *place : {"0.5", "-1", "1e300"})
    wrong(head + R"([{"name": "a", "points": [{"value": 1}], "changes": [{"first": )" + place +
              "}]}]}",
          "at no point");
  wrong(head + R"([{"name": "a", "metric": 5}]})", "of the wrong kind");
}
