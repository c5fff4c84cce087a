// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate report and --format from their options to their files and exit codes.
#include <filesystem>

#include "tools/gate/commands/commands.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/json.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::json;
namespace fs = std::filesystem;

static Options parse(std::vector<std::string> arguments)
{
  std::vector<const char *> argv = {"gate"};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  return parse_options(argv.size(), argv.data());
}

namespace
{

// A report of gate compare, in which the benchmark regressed.
struct Compared {
  Compared()
  {
    result::write_result(here / "a.json", time_result(loads_around(100)));
    result::write_result(here / "b.json", time_result(loads_around(130)));
    code = compare(
        parse({"compare", here / "a.json", here / "b.json", "--json", here / "report.json",
               "--format", "ktap=" + (here / "ktap"), "--format", "table=" + (here / "table")}));
  }
  TemporaryDirectory here;
  int code;
};

} // namespace

TEST(report_of_compare_in_several_formats)
{
  Compared compared;
  expect_eq(compared.code, 1);
  expect_has(read_file(compared.here / "ktap"), "\nnot ok 1 lookup latency\n");
  expect_has(read_file(compared.here / "table"), "verdict=regressed");
  json value = json::parse(read_file(compared.here / "report.json"));
  expect_eq(value["rows"][0]["base_samples"].size(), 20u);
  expect_eq(value["environments"]["comp"]["kernel"].get<std::string>(), std::string("6.1"));
}

TEST(report_is_converted_later_and_exits_0)
{
  Compared compared;
  std::string from = compared.here / "report.json", to = compared.here / "again";
  expect_eq(report(parse({"report", from, "--format", "ktap=" + to})), 0);
  expect_eq(read_file(to), read_file(compared.here / "ktap"));
  expect_eq(report(parse({"report", from, "--html", to})), 0);
  expect_has(read_file(to), "<h1 id=\"verdict\">1 of 1 rows regressed");
  expect_eq(report(parse({"report", from, "--format", "json=" + to})), 0);
  expect_eq(read_file(to), read_file(from));
}

TEST(report_that_cannot_be_read_or_written)
{
  Compared compared;
  std::string from = compared.here / "report.json";
  expect_throws([&] { report(parse({"report", compared.here / "none"})); }, "none");
  expect_throws([&] { report(parse({"report", compared.here / "a.json"})); }, "no report of gate");
  write_file(compared.here / "cut", read_file(from).substr(0, 500));
  expect_throws([&] { report(parse({"report", compared.here / "cut"})); }, "broken JSON");
  std::string nowhere = compared.here / "no/such";
  expect_throws([&] { report(parse({"report", from, "--html", nowhere})); }, "no/such");
  expect_throws(
      [&] {
        report(parse({"report", from, "--format", "junit=/dev/full"}));
      },
      "/dev/full");
  // Nothing is left of what was not written.
  for (const auto &entry : fs::directory_iterator(compared.here / ""))
    expect(entry.path().extension() != ".tmp", entry.path());
}

TEST(report_options_that_are_wrong)
{
  expect_throws([] { parse({"report"}); }, "REPORT");
  expect_throws([] { parse({"report", "r", "--format", "xml"}); }, "'xml' is none of");
  expect_throws([] { parse({"report", "r", "--format", "junit", "--html", "-"}); }, "two formats");
  expect_throws([] { parse({"report", "r", "--history", "h"}); }, "goes with --html");
  expect_throws(
      [] {
        parse({"compare", "a", "b", "--json", "-", "--format", "ktap"});
      },
      "two formats");
}
