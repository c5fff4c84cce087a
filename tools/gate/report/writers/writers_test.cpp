// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The writers on a report with every verdict and with names that try to be markup. What other tools
// make of the same report is in formats_test.py.
#include "tools/gate/report/writers/writers.h"

#include <cstdlib>
#include <limits>
#include <locale>

#include "tools/gate/report/writing.h"
#include "tools/gate/testing/report_fixture.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/json.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::json;

TEST(report_read_back_is_the_same)
{
  Report report = all_verdicts();
  report.rows[0].interval = {-std::numeric_limits<double>::infinity(), .5};
  report.rows[1].interval = {-.5, std::numeric_limits<double>::infinity()};
  report.rows[2].gated = false;
  report.policy = {true, true, true};
  std::string text = format_json(report);
  Report read = parse_report(text, "r.json");
  expect_eq(format_json(read), text);
  expect(read.rows[0].interval->low < -1e300 && read.rows[1].interval->high > 1e300);
  expect(std::isnan(read.rows[0].comp_samples[2]), "null is no load");
  expect_eq(exit_code(read), exit_code(report));
}

TEST(report_that_is_none_is_refused_in_one_line)
{
  expect_throws([] { parse_report("", "r"); }, "r");
  expect_throws([] { parse_report("[]", "r"); }, "no report of gate");
  expect_throws([] { parse_report(R"({"schema": "bpfgate-result", "version": 1})", "r"); },
                "no report of gate");
  expect_throws([] { parse_report(R"({"schema": "bpfgate-report", "version": 2})", "r"); },
                "version 2");
  std::string head = R"({"schema": "bpfgate-report", "version": 1, "command": "check", "rows": )";
  expect_throws([&] { parse_report(head + "[{}]}", "r"); }, "/rows/0/name is missing");
  expect_throws([&] { parse_report(head + "{}}", "r"); }, "/rows is no list");
  expect_throws([&] { parse_report(head + "[5]}", "r"); }, "/rows/0 is no object");
  expect_throws([&] { parse_report(head + R"([{"name": "a", "verdict": "odd"}]})", "r"); },
                "/rows/0/verdict");
  expect_throws([&] { parse_report(head + R"([{"name": "a", "interval": [1]}]})", "r"); },
                "is no pair");
  expect_throws([&] { parse_report(head + R"([{"name": "a", "base_samples": ["x"]}]})", "r"); },
                "no number");
  // Written before samples were in it.
  expect_eq(parse_report(head + R"([{"name": "a"}]})", "r").rows.size(), 1u);
}

TEST(outcomes_agree_with_the_exit_code)
{
  for (bool strict : {false, true})
    for (bool advisory : {false, true})
      for (size_t i = 0; i < verdict_count; i++) {
        Report report = {
            .command = "check",
            .rows = {one_row("a", Verdict::Unchanged), one_row("b", static_cast<Verdict>(i))}};
        report.policy = {strict, advisory};
        Outcome outcome = outcome_of(report.rows[1], report);
        int wanted = outcome == Outcome::Fail    ? Exit::Regression
                     : outcome == Outcome::Error ? Exit::Incomplete
                                                 : Exit::Passed;
        expect_eq(exit_code(report), wanted);
      }
}

TEST(host_that_is_not_trusted_is_an_error_whatever_its_rows)
{
  Report report = {.command = "check", .rows = {one_row("a", Verdict::Regressed)}};
  report.untrusted = "9 of 100 same pairs regressed";
  expect_eq(exit_code(report), 3);
  expect_has(format_junit(report), "failures=\"0\" errors=\"1\" skipped=\"1\"");
  expect_has(format_ktap(report), "\nok 1 a nr_entries=1000 latency # SKIP regressed\n");
  expect_has(format_ktap(report), "\nnot ok 2 gate # ERROR\n");
  expect_has(format_annotations(report), "::error title=gate check::this host is not to be");
  expect_has(format_html(report), "This host is not to be trusted: 9 of 100");
}

TEST(headline_says_what_happened)
{
  Report report = all_verdicts();
  expect_eq(headline(report), "2 of 10 rows regressed; 1 invalid, 1 missing, 1 incomparable, 1 "
                              "improved, 1 unchanged, 1 inconclusive, 1 waived, 1 new");
  report.rows = {one_row("a", Verdict::Unchanged)};
  expect_eq(headline(report), "No regression; 1 unchanged");
  report.rows = {};
  expect_eq(headline(report), "Nothing was compared");
  report.skipped = "no BPF";
  expect_eq(headline(report), "Nothing could be measured here: no BPF");
}

TEST(table_keeps_a_row_in_its_line)
{
  Report report = all_verdicts();
  size_t notes = 1, head = 1, mean = 1, machine = 1;
  expect_eq(lines_of(format_table(report)).size(),
            report.rows.size() + report.remarks.size() + notes + head + mean + machine);
}

TEST(markdown_is_verdict_first_then_what_failed)
{
  std::string text = format_markdown(all_verdicts());
  expect(text.starts_with("## gate check: 2 of 10 rows regressed"));
  expect(text.find("| regressed |") < text.find("| invalid |"));
  expect(text.find("| missing |") < text.find("<details>"));
  expect(text.find("| unchanged |") > text.find("<details>"));
  expect_eq(count_of(text, "<details>"), 2u);
  expect_eq(count_of(text, "</details>"), 2u);
}

// Estimate, interval, smallest effect, n and verdict: in the table for people and in Markdown.
TEST(every_row_shows_what_its_verdict_rests_on)
{
  Report report = {.command = "check",
                   .rows = {one_row("a", Verdict::Unchanged), one_row("a", Verdict::Inconclusive)}};
  report.rows[0].comp_loads = 4;
  report.rows[1].metric = "latency tail";
  report.rows[1].gated = false;
  report.rows[1].secondary = true;
  std::vector<std::string> lines = lines_of(format_table(report));
  for (const char *part : {"+30.0 %", "+25.0 .. +35.0 %", " 6.0 %", " 3/4 ", " unchanged"})
    expect_has(lines.at(1), part);
  expect_has(lines.at(2), " 3  (inconclusive)");
  std::string text = format_markdown(report);
  expect_has(text, "| +30.0 % | +25.0 .. +35.0 % | 6.0 % | 3/4 | unchanged |");
  expect_has(text, "| 6.0 % | 3 | (inconclusive) |");
  json row = json::parse(format_json(report))["rows"][0];
  for (const char *member : {"change", "interval", "mde", "base_loads", "comp_loads", "verdict"})
    expect(row.contains(member) && !row[member].is_null(), member);
}

TEST(markdown_takes_no_name_for_markup)
{
  std::string text = format_markdown(all_verdicts());
  expect_no(text, "<b>");
  expect_has(text, "\"&lt;b&gt;\\|\\`\\#\\:\\:error");
  for (const std::string &line : lines_of(text))
    if (line.starts_with("|")) {
      size_t bars = 0;
      for (size_t i = 0; i < line.size(); i++)
        bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
      expect_eq(bars, 10u);
    }
}

TEST(annotations_of_what_needs_a_look_only)
{
  std::string text = format_annotations(all_verdicts());
  std::vector<std::string> lines = lines_of(text);
  expect_eq(lines.size(), 6u);
  expect_eq(lines[0],
            "::error title=regressed%3A regressed nr_entries=1000 latency::130 ns/op, was "
            "100 ns/op: +30.0 %25 (+25.0 .. +35.0 %25), tolerance 5 %25");
  expect(lines[1].starts_with("::error title=regressed%3A \"<b>|`#%3A%3Aerror%3A%3A%250A'&"));
  expect(lines[2].starts_with("::error title=invalid"));
  expect(lines[3].starts_with("::warning title=missing"));
  expect(lines[4].starts_with("::warning title=incomparable"));
  expect(lines[5].starts_with("::notice title=waived"));
  Report report = all_verdicts();
  report.policy.advisory = true;
  expect(format_annotations(report).starts_with("::warning title=regressed"));
}

TEST(log_text_holds_no_workflow_command)
{
  expect_eq(without_commands("a\n::error::x\n  ::y\n##[z\nb::c"),
            "a\n| ::error::x\n  | ::y\n| ##[z\nb::c");
  expect_eq(without_commands(""), "");
}

TEST(github_writes_the_summary_behind_what_is_there)
{
  TemporaryDirectory here;
  std::string summary = here / "summary";
  write_file(summary, "before\n");
  setenv("GITHUB_STEP_SUMMARY", summary.c_str(), 1);
  Report report = all_verdicts();
  expect(!write_outputs(report, {{"github", here / "annotations"}}), "took the standard output");
  expect_eq(read_file(summary), "before\n" + format_markdown(report));
  setenv("GITHUB_STEP_SUMMARY", (here / "no/such").c_str(), 1);
  expect_throws([&] { write_outputs(report, {{"github", here / "annotations"}}); }, "no/such");
  unsetenv("GITHUB_STEP_SUMMARY");
  write_outputs(report, {{"github", here / "annotations"}});
  expect_eq(read_file(here / "annotations"), format_annotations(report));
}

TEST(junit_counts_and_escapes)
{
  std::string text = format_junit(all_verdicts());
  expect_has(text, "tests=\"10\" failures=\"2\" errors=\"3\" skipped=\"3\"");
  expect_eq(count_of(text, "<testcase "), 10u);
  expect_eq(count_of(text, "<failure "), 2u);
  expect_eq(count_of(text, "<error "), 3u);
  expect_eq(count_of(text, "<skipped "), 3u);
  expect_has(text, "timestamp=\"2026-11-30T15:05:43\"");
  expect_no(text, "<b>");
  for (char c : text)
    expect(static_cast<unsigned char>(c) >= ' ' || c == '\n', "a control character");
  Report nothing = {.command = "check"};
  expect_has(format_junit(nothing), "errors=\"1\"");
  nothing.skipped = "no BPF";
  expect_has(format_junit(nothing), "skipped=\"1\"");
}

TEST(junit_holds_no_character_that_xml_cannot)
{
  Report report = {.command = "check",
                   .rows = {one_row("a\xEF\xBF\xBF"
                                    "b",
                                    Verdict::Invalid)}};
  expect_has(format_junit(report), "a?b");
}

TEST(ktap_lines_are_numbered_and_planned)
{
  std::vector<std::string> lines = lines_of(format_ktap(all_verdicts()));
  expect_eq(lines[0], "KTAP version 1");
  expect_eq(lines[1], "1..10");
  size_t number = 0;
  for (const std::string &line : lines) {
    bool ok = line.starts_with("ok "), not_ok = line.starts_with("not ok ");
    if (ok || not_ok)
      expect(line.starts_with(fmt::format("{}ok {} ", ok ? "" : "not ", ++number)), line);
    else if (number || line.starts_with("#"))
      expect(line.starts_with("# "), line);
    // At most one directive: what is in names is replaced.
    expect(line.starts_with("#") || count_of(line, "#") <= 1, line);
  }
  expect_eq(number, 10u);
  expect_eq(lines.back(), "# Totals: pass:2 fail:2 xfail:1 xpass:0 skip:2 error:3");
  Report nothing = {.command = "check"};
  expect_has(format_ktap(nothing), "1..1\n# nothing was compared\nnot ok 1 gate # ERROR\n");
  nothing.skipped = "no BPF";
  expect_eq(format_ktap(nothing), "KTAP version 1\n1..0 # SKIP no BPF\n");
}

TEST(go_text_has_a_line_for_each_load)
{
  Report report = all_verdicts();
  std::string base = format_go(report, Side::Base), comp = format_go(report, Side::Comp);
  expect_eq(count_of(base, "\nBenchmarkRegressed/nr_entries=1000 1 "), 3u);
  expect_eq(count_of(comp, "\nBenchmarkRegressed/nr_entries=1000 1 "), 2u);
  expect_has(comp, "\nBenchmarkRegressed/nr_entries=1000 1 130.5 ns/op\n");
  expect_has(comp, "goarch: amd64\n");
  expect_has(comp, "kernel: 6.1\n");
  expect_has(comp, "Unit ns/op better=lower\n");
  report.base_environment["kernel"] = "5.1";
  expect_has(format_go(report, Side::Base), "\n# kernel: 5.1\n");
  for (const std::string &line : lines_of(comp))
    if (line.starts_with("Benchmark"))
      expect_eq(count_of(line, " "), 3u);
}

TEST(go_text_tells_metrics_of_one_unit_apart)
{
  Report report = {
      .command = "check",
      .rows = {one_row("a-8", Verdict::Unchanged), one_row("a-8", Verdict::Unchanged)}};
  for (Row &row : report.rows)
    row.parameters = Value::object();
  report.rows[1].metric = "peak memory";
  report.rows[1].unit = "M B";
  report.rows[1].kind = result::Class::Memory;
  std::string text = format_go(report, Side::Base);
  // Not for 8 CPUs.
  expect_has(text, "BenchmarkA-8-1 1 99 ns/op\n");
  expect_has(text, " 99 peak_memory-MB\n");
}

TEST(google_json_has_repetitions_and_aggregates)
{
  json value = json::parse(format_google(all_verdicts(), Side::Base));
  const json &first = value["benchmarks"][0];
  expect_eq(first["name"].get<std::string>(), "regressed/nr_entries:1000");
  expect_eq(first["run_type"].get<std::string>(), "iteration");
  expect_eq(first["real_time"].get<double>(), 99.);
  expect_eq(first["time_unit"].get<std::string>(), "ns");
  expect_eq(first["repetitions"].get<int>(), 3);
  const json &mean = value["benchmarks"][3];
  expect_eq(mean["name"].get<std::string>(), "regressed/nr_entries:1000_mean");
  expect_eq(mean["real_time"].get<double>(), 100.);
  expect_eq(value["benchmarks"].size(), 10 * (3 + 4u));
}

TEST(google_json_shows_other_metrics_as_counters)
{
  Report report = {.command = "check",
                   .rows = {one_row("a", Verdict::Unchanged), one_row("a", Verdict::Unchanged)}};
  report.rows[0].metric = "memory";
  report.rows[0].unit = "MiB";
  json value = json::parse(format_google(report, Side::Base));
  expect_eq(value["benchmarks"][1]["memory"].get<double>(), 100.);
  // No time, no entry: compare.py compares nothing else.
  report.rows.pop_back();
  expect(json::parse(format_google(report, Side::Base))["benchmarks"].empty());
}

TEST(action_benchmark_has_one_direction_a_file)
{
  Report report = all_verdicts();
  report.rows[0].better = result::Better::Higher;
  json smaller = json::parse(format_action(report, result::Better::Lower));
  json bigger = json::parse(format_action(report, result::Better::Higher));
  expect_eq(smaller.size(), 9u);
  expect_eq(bigger.size(), 1u);
  expect_eq(bigger[0]["name"].get<std::string>(), "regressed nr_entries=1000 latency");
  expect_eq(bigger[0]["value"].get<double>(), 130.);
  expect_eq(bigger[0]["range"].get<std::string>(), "± 1.061");
}

TEST(bencher_uses_its_units)
{
  Report report = {.command = "check", .rows = {one_row("a", Verdict::Unchanged)}};
  report.rows[0].unit = "us/op";
  json value = json::parse(format_bencher(report));
  expect_eq(value["a nr_entries=1000"]["latency"]["value"].get<double>(), 130e3);
  // Two loads have no interval at 95 %.
  expect(!value["a nr_entries=1000"]["latency"].contains("lower_value"));
  report.rows[0].comp_samples = {1, 2, 3, 4, 5, 6, 7};
  value = json::parse(format_bencher(report));
  expect_eq(value["a nr_entries=1000"]["latency"]["lower_value"].get<double>(), 1e3);
}

TEST(kcidb_has_statuses_and_ids_that_differ)
{
  json value = json::parse(format_kcidb(all_verdicts()));
  std::map<std::string, int> statuses;
  std::set<std::string> ids;
  for (const json &test : value["tests"]) {
    statuses[test["status"].get<std::string>()]++;
    ids.insert(test["id"].get<std::string>());
    for (char c : test["path"].get<std::string>())
      expect(isalnum(c) || c == '.' || c == '_' || c == '-', "a path of other characters");
  }
  expect_eq(ids.size(), 10u);
  expect_eq(statuses["FAIL"], 2);
  expect_eq(statuses["ERROR"], 2);
  expect_eq(statuses["MISS"], 1);
  expect_eq(statuses["PASS"], 2);
  expect_eq(statuses["DONE"], 3);
}

TEST(openmetrics_is_in_base_units)
{
  Report report = {.command = "check", .rows = {one_row("a\"\\b", Verdict::Improved)}};
  std::string text = format_openmetrics(report);
  expect_has(text, "bpf_gate_time_seconds{bench=\"a\\\"\\\\b\",parameters=\"nr_entries=1000\","
                   "metric=\"latency\",side=\"comp\"} 1.3e-07\n");
  expect_has(text, "# UNIT bpf_gate_time_seconds seconds\n");
  expect_has(text, "verdict=\"improved\"} 1\n");
  expect(text.ends_with("# EOF\n"));
}

TEST(commit_table_is_ascii_and_narrow)
{
  for (const std::string &line : lines_of(format_commit(all_verdicts()))) {
    expect(line.size() < 75, line);
    for (char c : line)
      expect(c >= ' ' && c < 0x7f, line);
  }
  Report report = {.command = "compare", .rows = {one_row("lookup", Verdict::Regressed)}};
  report.comp_environment = {
      {"cpu_model", "Intel(R) Xeon(R) CPU X @ 2 GHz"}, {"cpus", 8}, {"kernel", "6.12"}};
  report.base_environment = {{"kernel", "6.1"}};
  expect_eq(format_commit(report),
            "Intel Xeon X, 8 CPUs, Linux 6.1 -> 6.12\n\n"
            "                            before         after  change          interval\n"
            "lookup                   100 ns/op     130 ns/op +30.0 %  +25.0 .. +35.0 %\n\n"
            "Medians over 3 or more fresh loads; intervals: 99 % or more.\n");
}

TEST(commit_table_names_what_differs_once)
{
  Report report = {.command = "compare"};
  for (int entries : {1000, 1000000}) {
    report.rows.push_back(one_row("lookup", Verdict::New));
    report.rows.back().parameters = {{"nr_entries", entries}, {"random", false}};
    report.rows.back().base.reset();
  }
  std::string text = format_commit(report);
  expect_has(text, "lookup, by nr_entries\n  1000 ");
  expect_has(text, "+- 1.061 ns/op\n  1000000 ");
  expect_no(text, "random");
}

TEST(format_option_is_checked)
{
  expect_eq(parse_output("junit=a=b").path, "a=b");
  expect_eq(parse_output("junit").path, "-");
  expect_throws([] { parse_output("xml=a"); }, "'xml' is none of table, json");
  expect_throws([] { parse_output("junit="); }, "no file");
  check_outputs({{"junit", "-"}, {"github", "-"}, {"json", "x"}});
  expect_throws([] { check_outputs({{"junit", "-"}, {"json", "-"}}); }, "two formats");
}

TEST(numbers_do_not_follow_the_locale)
{
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  Report report = all_verdicts();
  auto all = [&] {
    return format_table(report) + format_json(report) + format_html(report) +
           format_markdown(report) + format_annotations(report) + format_junit(report) +
           format_ktap(report) + format_openmetrics(report) + format_bencher(report) +
           format_kcidb(report) + format_go(report, Side::Comp) +
           format_google(report, Side::Comp) + format_action(report, result::Better::Lower) +
           format_commit(report);
  };
  std::string before = all();
  std::locale old = std::locale::global(std::locale(std::locale::classic(), new Comma));
  std::string after = all();
  std::locale::global(old);
  expect(before == after, "differs by locale");
}
