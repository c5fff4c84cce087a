// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// From the command line to the exit code.
#include "tools/test_progs/harness.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <system_error>

#include "tools/lib/atomic_file.h"
#include "tools/lib/probe.h"
#include "tools/lib/streams.h"
#include "tools/test_progs/options.h"
#include "tools/test_progs/printer.h"
#include "tools/test_progs/reports.h"

namespace test
{

namespace
{

enum Exit { passed = 0, failed = 1, nothing_selected = 2, broken = 3, nothing_ran = 4, usage = 64 };

std::vector<TestInfo> select(const Selection &selection)
{
  std::vector<TestInfo> chosen;
  std::vector<std::string> names;
  for (const TestInfo &test : all_tests()) {
    names.push_back(test.name);
    if (selection.wants_test(test.name, test.number) &&
        (!test.hidden || selection.spells_out(test.name)))
      chosen.push_back(test);
  }
  for (const std::string &entry : selection.unmatched(names))
    fmt::print(stderr, "test_progs: '{}' matches no test\n", entry);
  return chosen;
}

int show_selection(const std::vector<TestInfo> &tests, const Options &options)
{
  if (options.list)
    for (const TestInfo &test : tests)
      fmt::print("{}\n", test.name);
  if (options.count)
    fmt::print("{}\n", tests.size());
  return tests.empty() ? nothing_selected : passed;
}

// Upstream's 2, but not for who reads KTAP: to the kernel's test runner 2 means "expected to fail",
// which is as good as passed, and a mistyped name must not pass.
int empty_selection(bool ktap) { return ktap ? failed : nothing_selected; }

int verdict(const RunResult &run, bool ktap)
{
  if (run.interrupted_by)
    return 128 + run.interrupted_by;
  if (run.failed() > 0)
    return failed;
  if (run.nothing_selected())
    return empty_selection(ktap);
  return run.nothing_ran() ? nothing_ran : passed;
}

// Better before the tests than after them.
void check_reports(const Options &options)
{
  for (const std::string &path : {options.json_file, options.junit_file})
    if (!path.empty())
      check_writable(path);
}

void write_reports(const RunResult &run, const Options &options, int exit_code)
{
  if (!options.json_file.empty())
    write_file(options.json_file, json_report(run, exit_code));
  if (!options.junit_file.empty())
    write_file(options.junit_file, junit_report(run));
}

bool only_hidden(const std::vector<TestInfo> &tests)
{
  for (const TestInfo &test : tests)
    if (!test.hidden)
      return false;
  return true;
}

std::unique_ptr<Printer> make_printer(const Options &options)
{
  bool verbose = options.settings.verbosity > 0;
  return options.ktap ? ktap_printer(verbose) : native_printer(verbose, options.runner.live);
}

int run_selected(const std::vector<TestInfo> &tests, const Options &options,
                 std::optional<std::string> (*missing)())
{
  auto printer = make_printer(options);
  RunResult run;
  auto reason = only_hidden(tests) ? std::nullopt : missing();
  if (reason) {
    printer->skip_all(*reason);
  } else {
    printer->begin(tests.size());
    run = run_tests(tests, options.settings, options.runner, *printer);
    printer->end(run);
  }
  run.seed = options.settings.seed;
  run.command = options.command;
  int exit_code = reason ? int{nothing_ran} : verdict(run, options.ktap);
  fflush(stdout);
  write_reports(run, options, exit_code);
  return exit_code;
}

int show_probes()
{
  fmt::print("{}", probe::table());
  return passed;
}

int run_options(const Options &options, std::optional<std::string> (*missing)())
{
  if (options.probe)
    return show_probes();
  std::vector<TestInfo> tests = select(options.settings.selection);
  if (options.list || options.count)
    return show_selection(tests, options);
  check_reports(options);
  if (tests.empty()) {
    make_printer(options)->bail_out("no test is selected");
    return empty_selection(options.ktap);
  }
  if (options.settings.verbosity > 0)
    setenv("SELFTESTS_VERBOSE", "1", 1);
  return run_selected(tests, options, missing);
}

int for_meson(int exit_code)
{
  switch (exit_code) {
  case passed:
  case failed:
    return exit_code;
  case nothing_ran:
    return 77;
  default:
    return 99;
  }
}

} // namespace

int run_main(int argc, char **argv, std::optional<std::string> (*missing)())
{
  ready_standard_streams();
  outlive_readers();
  // Lines come out as they end, in a pipe too: whoever kills this process has seen them.
  setvbuf(stdout, nullptr, _IOLBF, 0);
  auto parsed = parse_options(argc, argv);
  if (int *exit_code = std::get_if<int>(&parsed)) // no options then, so look for this one again
    return std::count(argv, argv + argc, std::string_view("--meson")) ? for_meson(*exit_code)
                                                                      : *exit_code;
  const Options &options = std::get<Options>(parsed);
  int exit_code = broken;
  try {
    exit_code = run_options(options, missing);
  } catch (const std::exception &exception) {
    fmt::print(stderr, "test_progs: {}\n", exception.what());
  }
  if (int error = lost_output()) {
    if (error != EPIPE)
      fmt::print(stderr, "test_progs: cannot write to the standard output: {}\n", strerror(error));
    exit_code = error == EPIPE ? 128 + SIGPIPE : int{broken};
  }
  return options.meson ? for_meson(exit_code) : exit_code;
}

} // namespace test
