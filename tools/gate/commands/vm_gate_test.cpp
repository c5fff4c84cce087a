// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate on counts of instructions in real boots: nothing is found where nothing changed, one percent
// is found and named alone, and a boot that does not end well is no pass.
#include <cstdlib>

#include "tools/gate/system/run_command.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/json.h"
#include "tools/lib/result.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/vm_run.h"

using namespace unit_test;
using result::json;

namespace
{

// One op that looks up, one that allocates.
const std::vector<std::string> benches = {"bloom-lookup", "lpm-trie-update"};

std::string program(const char *name)
{
  const char *path = getenv(name);
  expect(path, fmt::format("{} is not in the environment: run this by meson test", name));
  return path;
}

struct Gate {
  // "gate ARGUMENTS... --seeds 2 -- BENCHES": its exit code.
  int run(std::vector<std::string> arguments)
  {
    arguments.insert(arguments.end(), {"--seeds", "2"});
    return run(std::move(arguments), benches);
  }

  int run(std::vector<std::string> arguments, const std::vector<std::string> &benchmarks)
  {
    arguments.insert(arguments.end(), {"--vmtest", vmtest, "--bench", bench, "--store",
                                       here / "store", "--json", here / "report.json", "--"});
    arguments.insert(arguments.end(), benchmarks.begin(), benchmarks.end());
    return run_as_given(arguments);
  }

  int run_as_given(std::vector<std::string> arguments)
  {
    arguments.insert(arguments.begin(), program("GATE"));
    finished = gate::run_command(arguments, 1800 * 1000);
    std::string status = finished.failure.substr(finished.failure.rfind(' ') + 1);
    return finished.failure.empty() ? 0 : std::stoi(status);
  }

  // vmtest, but in shell code that may add to "$@".
  void replace_vmtest(const std::string &code)
  {
    std::string script = here / "vmtest";
    write_file(script, fmt::format("#!/bin/sh\n{}\nexec '{}' \"$@\"\n", code, vmtest), 0777);
    vmtest = script;
  }

  void expect_only_regression(const std::string &name)
  {
    json report = json::parse(read_file(here / "report.json"));
    for (const json &row : report["rows"])
      if (row["gated"].get<bool>())
        expect_eq(row["verdict"].get<std::string>(),
                  std::string(row["name"] == name ? "regressed" : "unchanged"));
  }

  TemporaryDirectory here;
  std::string vmtest = program("VMTEST"), bench = program("BENCH");
  gate::Finished finished;
};

} // namespace

TEST(counts_of_one_kernel_and_itself_are_unchanged)
{
  Gate gate;
  int code = gate.run({"ab", "--kernel-a", test_kernel(), "--kernel-b", test_kernel()});
  expect_eq(code, 0);
  expect_has(gate.finished.output, "regressed=0 improved=0 unchanged=2");
}

TEST(counts_tell_what_was_slowed_and_nothing_else)
{
  Gate gate;
  std::vector<std::string> in_vm = {"--vm", test_kernel(), "--baseline", gate.here / "base.json"};
  auto run = [&](const std::string &command, const std::string &injection) {
    std::vector<std::string> arguments = {command};
    arguments.insert(arguments.end(), in_vm.begin(), in_vm.end());
    if (!injection.empty())
      arguments.insert(arguments.end(), {"--inject", injection});
    return gate.run(arguments);
  };
  expect_eq(run("record", ""), 0);
  expect_eq(run("check", "bloom-lookup=1%"), 1);
  gate.expect_only_regression("bloom-lookup");
  expect_eq(run("check", "lpm-trie-update=3%"), 1);
  gate.expect_only_regression("lpm-trie-update");
}

// 20 instructions an op move from one function to another: no figure of the whole tells, the
// profile does. And one line less an op in the baseline is one line more now, which instructions do
// not see. One seed: what differs between seeds is not the question.
TEST(events_and_functions_tell_what_counts_do_not)
{
  Gate gate;
  gate.bench = program("BENCH_FAULTY");
  const std::string base_file = gate.here / "base.json", comp_file = gate.here / "comp.json",
                    report_file = gate.here / "report.json";
  write_file(gate.here / "m.toml", "name = 'm'\n[l1d]\nkib = 32\n");
  auto in_vm = [&](const char *command) {
    return gate.run({command, "--vm", test_kernel(), "--baseline", base_file, "--seeds", "1",
                     "--model=" + (gate.here / "m.toml")},
                    {"--loads", "1", "moved-before", "moved-after"});
  };
  expect_eq(in_vm("record"), 0);
  json base = json::parse(read_file(base_file));
  expect(base["environment"]["vm"]["model"].get<std::string>().starts_with("m ("), "its name");

  json comp = base;
  base["benchmarks"].erase(1);
  comp["benchmarks"].erase(0);
  comp["benchmarks"][0]["name"] = base["benchmarks"][0]["name"];
  write_file(base_file, base.dump());
  write_file(comp_file, comp.dump());
  expect_eq(gate.run_as_given({"compare", base_file, comp_file, "--json", report_file}), 0);
  expect_eq(gate.run_as_given({"explain", "--report", report_file, "modelled_insns"}), 0);
  expect(gate.finished.output.ends_with("\nmoved-before producers=1: functions that changed, "
                                        "largest first:\n  left [bpf] -20.0 insns/op\n"
                                        "  right [bpf] +20.0 insns/op\n"),
         gate.finished.output);

  for (json &metric : base["benchmarks"][0]["metrics"])
    if (metric["name"] == "modelled_lines")
      metric["samples"][0][0] = metric["samples"][0][0].get<double>() - 1;
  base["benchmarks"].push_back(comp["benchmarks"][0]);
  base["benchmarks"][1]["name"] = "moved-after";
  write_file(base_file, base.dump());
  expect_eq(in_vm("check"), 1);
  expect_has(gate.finished.output, "counts of instructions and events in ");
  json report = json::parse(read_file(report_file));
  for (const json &row : report["rows"])
    if (row["gated"].get<bool>())
      expect_eq(row["verdict"].get<std::string>(),
                std::string(row["metric"] == "modelled_lines" && row["name"] == "moved-before"
                                ? "regressed"
                                : "unchanged"));
}

TEST(counts_of_a_kernel_that_panics_are_no_pass)
{
  Gate gate;
  gate.replace_vmtest("set -- --append rdinit=/bin/bench \"$@\"");
  int code = gate.run({"ab", "--kernel-a", test_kernel(), "--kernel-b", test_kernel()});
  expect_eq(code, 3);
  expect_has(gate.finished.output, ": seed 1: panic: ");
  expect_has(gate.finished.output, "gate: verdict=invalid");
  expect_has(gate.finished.complaints, "| ");
}
