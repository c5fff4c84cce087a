// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JUnit XML as Ant wrote it and Jenkins, GitLab and others read it: a gated row is a test case.
#include <fmt/format.h>

#include "tools/gate/report/writers/writers.h"
#include "tools/gate/report/writing.h"
#include "tools/lib/junit.h"

namespace gate
{

static std::string xml(const std::string &text) { return junit::escape(one_line(text)); }

static std::string xml_lines(const std::string &text)
{
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    out += xml(text.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return out;
}

static junit::Case test_case(const Row &row, const Report &report)
{
  junit::Case one = {.class_name = one_line(row.name), .name = one_line(row_title(row))};
  Outcome outcome = outcome_of(row, report);
  if (outcome == Outcome::Pass)
    return one;
  one.outcome = outcome == Outcome::Skip   ? junit::Outcome::Skip
                : outcome == Outcome::Fail ? junit::Outcome::Fail
                                           : junit::Outcome::Error;
  one.message = one_line(fmt::format("{}: {}", to_string(row.verdict), describe(row)));
  one.type = to_string(row.verdict);
  return one;
}

// The run as a whole, where it is no pass whatever its rows are.
static junit::Case run_case(junit::Outcome outcome, const std::string &message)
{
  return {.class_name = "gate", .name = "gate", .outcome = outcome, .message = one_line(message)};
}

static std::string property(const std::string &name, const std::string &value)
{
  if (value.empty())
    return "";
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml(name), xml(value));
}

static std::string properties(const Report &report)
{
  std::string text = property("alpha", fmt::format("{}", report.alpha));
  for (const char *name : {"cpu_model", "cpus", "arch", "hypervisor", "kernel"})
    for (auto [side, environment] :
         {std::pair("base", &report.base_environment), std::pair("comp", &report.comp_environment)})
      text += property(fmt::format("{}.{}", side, name), environment_text(*environment, name));
  for (const std::string &remark : report.remarks)
    text += property("remark", remark);
  return "    <properties>\n" + text + "    </properties>\n";
}

// Ant's schema has no time zone.
static std::string timestamp(const Report &report)
{
  if (!report.started.ends_with('Z'))
    return "";
  return fmt::format(" timestamp=\"{}\"", xml(report.started.substr(0, report.started.size() - 1)));
}

std::string format_junit(const Report &report)
{
  junit::Suite suite;
  for (const Row &row : report.rows)
    if (row.gated)
      suite.add(test_case(row, report));
  if (std::string error = run_error(report); !error.empty())
    suite.add(run_case(junit::Outcome::Error, error));
  else if (suite.tests() == 0)
    suite.add(run_case(junit::Outcome::Skip, headline(report)));
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites name=\"gate\" {0}>\n"
                     "  <testsuite name=\"gate {1}\" {0}{2}>\n{3}{4}"
                     "    <system-out>{5}</system-out>\n"
                     "  </testsuite>\n</testsuites>\n",
                     suite.counts(), xml(report.command), timestamp(report), properties(report),
                     suite.cases(), xml_lines(format_table(report)));
}

} // namespace gate
