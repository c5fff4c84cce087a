// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// KCIDB I/O schema 5.3: a gated row is a test of the kernel that comp ran on, with its figure. No
// checkout and no build: those are the submitter's, who knows the tree; the id of the build is
// derived from the kernel's release and is to be replaced where a real one exists.
#include <fmt/format.h>

#include <cctype>

#include "tools/gate/report/writers/writers.h"
#include "tools/gate/report/writing.h"
#include "tools/lib/hash.h"
#include "tools/lib/json.h"

namespace gate
{

using result::json;

static constexpr const char *origin = "bpfgate";

// A segment of a path: letters, digits, '_' and '-'.
static std::string segment(const std::string &text)
{
  std::string out;
  for (unsigned char c : text)
    out += std::isalnum(c) || c == '-' ? static_cast<char>(c) : '_';
  return out.empty() ? "_" : out;
}

static std::string path_of(const Row &row)
{
  std::string path = "bpf_gate." + segment(row.name);
  for (const auto &[name, value] : row.parameters.items())
    path += "." + segment(name) + "_" + segment(value.shown());
  return row.metric.empty() ? path : path + "." + segment(row.metric);
}

static const char *status_of(const Row &row, const Report &report)
{
  Outcome outcome = outcome_of(row, report);
  if (outcome == Outcome::Skip)
    return row.comp ? "DONE" : "SKIP";
  if (outcome == Outcome::Error)
    return row.verdict == Verdict::Missing ? "MISS" : "ERROR";
  return outcome == Outcome::Pass ? "PASS" : "FAIL";
}

static json environment_of(const Value &environment)
{
  json out = json::object();
  if (std::string model = environment_text(environment, "cpu_model"); !model.empty())
    out["comment"] = model;
  json misc = json::object();
  for (const char *name : {"cpus", "arch", "hypervisor", "kernel"})
    if (std::string value = environment_text(environment, name); !value.empty())
      misc[name] = value;
  out["misc"] = misc;
  return out;
}

// No member may be null.
static json misc_of(const Row &row)
{
  json misc = {{"verdict", to_string(row.verdict)}, {"loads", row.comp_loads}};
  if (row.base)
    misc["base"] = *row.base;
  if (row.change)
    misc[row.relative ? "change_fraction" : "change"] = *row.change;
  if (row.interval)
    misc["interval"] = format_interval(row);
  return misc;
}

static json test_of(const Report &report, const Row &row)
{
  std::string kernel = environment_text(report.comp_environment, "kernel");
  std::string path = path_of(row);
  std::string unique = sha1_hex(fmt::format("{} {} {} {}", report.started, report.seed,
                                            row_title(row), result::json_text(misc_of(row))));
  json test = {{"id", fmt::format("{}:{}", origin, unique)},
               {"build_id", fmt::format("{}:{}", origin, kernel.empty() ? "unknown" : kernel)},
               {"origin", origin},
               {"environment", environment_of(report.comp_environment)},
               {"path", path},
               {"comment", fmt::format("{}: {}", row_title(row), describe(row))},
               {"status", status_of(row, report)},
               {"misc", misc_of(row)}};
  if (!report.started.empty())
    test["start_time"] = report.started;
  if (row.comp)
    test["number"] = {{"value", *row.comp}, {"unit", one_line(row.unit)}};
  return test;
}

std::string format_kcidb(const Report &report)
{
  json tests = json::array();
  for (const Row &row : report.rows)
    if (row.gated)
      tests.push_back(test_of(report, row));
  json all = {{"version", {{"major", 5}, {"minor", 3}}}, {"tests", tests}};
  return result::json_text(all, 1) + "\n";
}

} // namespace gate
