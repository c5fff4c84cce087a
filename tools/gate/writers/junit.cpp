// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JUnit XML as Ant wrote it and Jenkins, GitLab and others read it: a gated row is a test case.
#include <fmt/format.h>

#include "tools/gate/writers/writers.h"
#include "tools/gate/writers/writing.h"

namespace gate
{

static std::string xml_char(char c)
{
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  default:
    return std::string(1, c);
  }
}

// XML 1.0 cannot hold U+FFFE and U+FFFF (EF BF BE, EF BF BF), not even escaped.
static std::string xml(const std::string &text)
{
  std::string out, clean = one_line(text);
  for (size_t i = 0; i < clean.size(); i++) {
    bool forbidden = clean.compare(i, 2, "\xEF\xBF") == 0 && i + 2 < clean.size() &&
                     static_cast<unsigned char>(clean[i + 2]) >= 0xBE;
    if (forbidden) {
      out += '?';
      i += 2;
    } else {
      out += xml_char(clean[i]);
    }
  }
  return out;
}

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

static std::string test_case(const Row &row, const Report &report)
{
  Outcome outcome = outcome_of(row, report);
  std::string head =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(row.name), xml(row_title(row)));
  if (outcome == Outcome::Pass)
    return head + "/>\n";
  std::string message = xml(fmt::format("{}: {}", to_string(row.verdict), describe(row)));
  std::string inner;
  if (outcome == Outcome::Skip)
    inner = fmt::format("<skipped message=\"{}\"/>", message);
  else
    inner = fmt::format("<{0} message=\"{1}\" type=\"{2}\"/>",
                        outcome == Outcome::Fail ? "failure" : "error", message,
                        to_string(row.verdict));
  return fmt::format("{}>\n      {}\n    </testcase>\n", head, inner);
}

// The run as a whole, where it is no pass whatever its rows are.
static std::string run_case(const char *element, const std::string &message)
{
  return fmt::format("    <testcase classname=\"gate\" name=\"gate\">\n"
                     "      <{} message=\"{}\"/>\n    </testcase>\n",
                     element, xml(message));
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
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string cases;
  for (const Row &row : report.rows) {
    if (!row.gated)
      continue;
    Outcome outcome = outcome_of(row, report);
    tests++;
    failures += outcome == Outcome::Fail;
    errors += outcome == Outcome::Error;
    skipped += outcome == Outcome::Skip;
    cases += test_case(row, report);
  }
  if (std::string error = run_error(report); !error.empty()) {
    tests++;
    errors++;
    cases += run_case("error", error);
  } else if (tests == 0) {
    tests = skipped = 1;
    cases = run_case("skipped", headline(report));
  }
  std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
                                   tests, failures, errors, skipped);
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites name=\"gate\" {0}>\n"
                     "  <testsuite name=\"gate {1}\" {0}{2}>\n{3}{4}"
                     "    <system-out>{5}</system-out>\n"
                     "  </testsuite>\n</testsuites>\n",
                     counts, xml(report.command), timestamp(report), properties(report), cases,
                     xml_lines(format_table(report)));
}

} // namespace gate
