// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JSON, JUnit and KTAP of runs that end in every way, read back by parsers.
#include <signal.h>

#include <boost/property_tree/xml_parser.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"
#include "tools/test_progs/run_program.h"

using nlohmann::json;
using unit_test::expect;
using unit_test::expect_eq;
using unit_test::expect_has;

static void expect_line(const Ended &ended, const std::string &line)
{
  expect(ended.has(line), fmt::format("no line '{}' in:\n{}", line, ended.out));
}

TEST(json_of_a_run_with_everything)
{
  TemporaryDirectory scratch;
  Ended ended = run_test_progs(
      {"-J", scratch / "json", "-a", "selftest_mixed,selftest_segv,selftest_pass,selftest_skip"});
  json report = json::parse(read_file(scratch / "json"));
  expect_eq(report["success"].get<int>(), 2);
  expect_eq(report["success_subtest"].get<int>(), 5);
  expect_eq(report["skipped"].get<int>(), 2);
  expect_eq(report["failed"].get<int>(), 2);
  expect_eq(report["exit_code"].get<int>(), ended.status);
  expect_eq(report["tests"].size(), 4u);
  expect_eq(report["results"].size(), 2u);
  const json &mixed = report["results"][0];
  expect_eq(mixed["name"].get<std::string>(), "selftest_mixed");
  expect(mixed["number"].is_number() && mixed["message"].is_string() && mixed["failed"] == true);
  expect_eq(mixed["subtests"].size(), 1u);
  expect_eq(mixed["subtests"][0]["name"].get<std::string>(), "bad");
  expect_has(mixed["subtests"][0]["message"], "actual 1 != expected 2");
  expect_eq(report["tests"][0]["subtests"][2]["reason"].get<std::string>(), "the moon is missing");
  expect_eq(report["tests"][2]["name"].get<std::string>(), "selftest_segv");
  expect(report["tests"][2]["broken"] == true && report["tests"][0]["broken"] == false);
}

TEST(json_has_failures_with_verbose_too)
{
  TemporaryDirectory scratch;
  run_test_progs({"-v", "-J", scratch / "json", "-a", "selftest_mixed"});
  expect_eq(json::parse(read_file(scratch / "json"))["results"].size(), 1u);
}

TEST(json_takes_any_bytes)
{
  TemporaryDirectory scratch;
  run_test_progs({"-J", scratch / "json", "-a", "selftest_false_results"});
  json report = json::parse(read_file(scratch / "json"));
  expect_has(report["results"][0]["message"], "<&>");
}

TEST(reports_of_a_run_that_was_ended)
{
  TemporaryDirectory scratch;
  // More than once, as nested timeouts do.
  auto interrupt = [](pid_t pid, const std::string &out) {
    if (out.find("waiting as process") != std::string::npos)
      kill(pid, SIGINT);
  };
  run_test_progs({"-v", "-J", scratch / "json", "--junit", scratch / "xml", "-a",
                  "selftest_pass,selftest_wait"},
                 interrupt);
  json report = json::parse(read_file(scratch / "json"));
  expect_eq(report["interrupted_by"].get<int>(), SIGINT);
  expect_eq(report["failed"].get<int>(), 1);
  expect_eq(report["success"].get<int>(), 1);
  expect_has(read_file(scratch / "xml"), "</testsuites>");
}

TEST(a_report_that_cannot_be_written_is_told_before_the_tests)
{
  TemporaryDirectory scratch;
  Ended ended = run_test_progs({"-J", scratch / "no/where", "-a", "selftest_pass"});
  expect_eq(ended.status, 3);
  expect(ended.out.empty(), "ran nevertheless");
  expect_has(ended.err, "cannot write");
}

TEST(nothing_but_the_report_is_left)
{
  TemporaryDirectory scratch;
  run_test_progs({"-J", scratch / "json", "-a", "selftest_pass"});
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(scratch / ""))
    files++;
  expect_eq(files, 1u);
}

TEST(junit_is_xml_with_the_right_counts)
{
  TemporaryDirectory scratch;
  run_test_progs({"--junit", scratch / "xml", "-a",
                  "selftest_mixed,selftest_segv,selftest_false_results,selftest_skip"});
  boost::property_tree::ptree tree;
  read_xml(scratch / "xml", tree);
  std::map<std::string, boost::property_tree::ptree> suites;
  for (const auto &[tag, suite] : tree.get_child("testsuites"))
    if (tag == "testsuite")
      suites[suite.get<std::string>("<xmlattr>.name")] = suite;
  expect_eq(suites.size(), 4u);
  const auto &mixed = suites["selftest_mixed"];
  expect_eq(mixed.get<int>("<xmlattr>.tests"), 4);
  expect_eq(mixed.get<int>("<xmlattr>.failures"), 1);
  expect_eq(mixed.get<int>("<xmlattr>.skipped"), 1);
  expect_eq(mixed.get<int>("<xmlattr>.errors"), 0);
  expect_eq(suites["selftest_segv"].get<int>("<xmlattr>.errors"), 1);
  expect_eq(suites["selftest_skip"].get<int>("<xmlattr>.skipped"), 1);
  expect_has(read_file(scratch / "xml"), "odd: &lt;name&gt; &amp; #more");
}

TEST(ktap_of_every_result)
{
  Ended ended = run_test_progs({"--ktap", "-a", "selftest_mixed,selftest_pass,selftest_skip"});
  expect_eq(ended.status, 1);
  expect(ended.out.starts_with("KTAP version 1\n1..3\n"), "head");
  expect_line(ended, "# 1..4");
  expect_line(ended, "# ok 1 good");
  expect_line(ended, "# not ok 2 bad");
  expect_line(ended, "# ok 3 skipped # SKIP the moon is missing");
  expect_line(ended, "# ok 4 odd: <name> & _more");
  expect_line(ended, "not ok 1 selftest_mixed");
  expect_line(ended, "ok 2 selftest_pass");
  expect_line(ended, "ok 3 selftest_skip # SKIP the moon is missing");
  expect_line(ended, "# Totals: pass:1 fail:1 xfail:0 xpass:0 skip:1 error:0");
}

TEST(ktap_numbers_subtests_without_holes)
{
  Ended ended = run_test_progs({"--ktap", "-a", "selftest_mixed/good,selftest_mixed/odd*"});
  expect_eq(ended.status, 0);
  expect_line(ended, "# 1..2");
  expect_line(ended, "# ok 2 odd: <name> & _more");
}

TEST(ktap_takes_no_text_for_a_result)
{
  Ended ended = run_test_progs({"--ktap", "-a", "selftest_false_results"});
  expect_line(ended, "# | ok 1 made_up");
  for (const char *line : {"ok 1 made_up", "# ok 1 made_up", "1..7", "Bail out! made up"})
    expect(!ended.has(line), line);
}

TEST(ktap_survives_output_without_newline)
{
  Ended ended = run_test_progs({"--ktap", "-a", "selftest_no_newline,selftest_segv"});
  expect_line(ended, "# not ok 1 bad");
  expect_line(ended, "# not ok 2 crash");
  expect_line(ended, "not ok 1 selftest_no_newline");
  expect_line(ended, "not ok 2 selftest_segv");
}

TEST(ktap_does_not_pass_an_empty_selection)
{
  Ended ended = run_test_progs({"--ktap", "-a", "nobody"});
  expect_eq(ended.status, 1); // 2 would be "expected to fail" to the kernel's runner
  expect_line(ended, "Bail out! no test is selected");
}

TEST(three_outputs_at_once)
{
  TemporaryDirectory scratch;
  Ended ended = run_test_progs(
      {"-a", "selftest_pass", "-J", scratch / "json", "--ktap", "--junit", scratch / "xml"});
  expect_eq(ended.status, 0);
  expect_line(ended, "ok 1 selftest_pass");
  expect_eq(json::parse(read_file(scratch / "json"))["success"].get<int>(), 1);
  expect_has(read_file(scratch / "xml"), "testcase classname=\"selftest_pass\" name=\"one\"");
}
