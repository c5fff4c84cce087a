// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// CLI11 reads the options; lists and numbers are read strictly by ourselves.
#include "tools/test_progs/options.h"

#include <sched.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <random>

#include "tools/lib/help.h"

namespace test
{

static constexpr int exit_usage = 64;

static unsigned usable_cpus()
{
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  return static_cast<unsigned>(std::max(count, 1));
}

template <class T> static T parse_number(const char *option, const std::string &text, T lowest)
{
  T value{};
  int base = text.starts_with("0x") ? 16 : 10;
  const char *begin = text.data() + (base == 16 ? 2 : 0), *end = text.data() + text.size();
  auto [stop, err] = std::from_chars(begin, end, value, base);
  if (err != std::errc() || stop != end || value < lowest)
    throw UsageError(
        fmt::format("{}: '{}' is not a whole number from {} on", option, text, lowest));
  return value;
}

// "--verbose=vv" is upstream's long form of "-vvv".
static std::string expand_verbose(const std::string &argument)
{
  const std::string prefix = "--verbose=";
  if (!argument.starts_with(prefix))
    return argument;
  std::string level = argument.substr(prefix.size());
  if (level.find_first_not_of('v') != std::string::npos)
    throw UsageError(fmt::format("--verbose: '{}' is neither v nor vv", level));
  return "-v" + level;
}

static void add_selectors(CLI::App &app, Selection &selection)
{
  using Match = Selection::Match;
  auto add = [&app](const char *name, std::function<void(const std::string &)> take,
                    const char *help, const char *type) {
    app.add_option_function<std::vector<std::string>>(
           name,
           [take](const std::vector<std::string> &lists) {
             for (const std::string &list : lists)
               take(list);
           },
           help)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  auto allow = [&](Match match) {
    return [&selection, match](const std::string &list) { selection.allow(list, match); };
  };
  auto deny = [&](Match match) {
    return [&selection, match](const std::string &list) { selection.deny(list, match); };
  };
  add("-t,--name", allow(Match::substring), "Run tests with this in their name", "NAMES");
  add("-a,--allow", allow(Match::glob), "Run tests of this name, '*' is a wildcard", "NAMES");
  add("-b,--name-blacklist", deny(Match::substring), "Leave out, as -t", "NAMES");
  add("-d,--deny", deny(Match::glob), "Leave out, as -a", "NAMES");
  add(
      "-n,--num", [&](const std::string &list) { selection.number(list); },
      "Run tests, subtests by number: 1,3-5/2", "NUMS");
}

namespace
{

// What CLI11 leaves as text.
struct Raw {
  int verbosity = 0;
  std::string workers, watchdog, seed;
  CLI::Option *workers_option = nullptr;
};

} // namespace

static void add_rest(CLI::App &app, Options &options, Raw &raw)
{
  app.add_flag("-l,--list", options.list, "List the selected tests");
  app.add_flag("-c,--count", options.count, "Count the selected tests");
  app.add_flag("-v,--verbose", raw.verbosity, "Show all output; -vv: libbpf's, -vvv: verifier's");
  app.add_flag("-s,--verifier-stats", options.settings.verifier_stats, "Show verifier statistics");
  raw.workers_option = app.add_option("-j,--workers", raw.workers, "Tests at a time (all CPUs)")
                           ->type_name("[N]")
                           ->expected(0, 1);
  app.add_option("-w,--watchdog-timeout", raw.watchdog, "End a test after this (120), 0: never")
      ->type_name("SEC");
  app.add_option("-J,--json-summary", options.json_file, "Write a JSON report")->type_name("FILE");
  app.add_option("--junit", options.junit_file, "Write a JUnit XML report")->type_name("FILE");
  app.add_flag("--ktap", options.ktap, "Print KTAP instead of upstream's lines");
  app.add_flag("--meson", options.meson, "Exit 77 for a skip, 99 for a hard error");
  app.add_option("--seed", raw.seed, "Seed of randomised tests")->type_name("N");
  app.add_flag("--probe", options.probe, "Show what this kernel has, and exit");
  app.add_flag("--debug", options.runner.debug, "Show the records of the workers");
}

static std::filesystem::path whole_path(const std::string &path)
{
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
}

static void finish_options(Options &options, const Raw &raw)
{
  if (raw.verbosity > 3)
    throw UsageError("-v: at most -vvv");
  options.settings.verbosity = raw.verbosity;
  if (raw.workers_option->count() > 0)
    options.runner.workers =
        raw.workers.empty() ? usable_cpus() : parse_number<unsigned>("-j", raw.workers, 1);
  bool both = !options.json_file.empty() && !options.junit_file.empty();
  if (both && whole_path(options.json_file) == whole_path(options.junit_file))
    throw UsageError(fmt::format("-J and --junit: both would write '{}'", options.json_file));
  if (!raw.watchdog.empty())
    options.runner.watchdog = std::chrono::seconds(parse_number<uint32_t>("-w", raw.watchdog, 0));
  options.runner.live = raw.verbosity > 0 && options.runner.workers == 1 && !options.ktap;
  options.settings.seed =
      raw.seed.empty() ? std::random_device{}() : parse_number<uint64_t>("--seed", raw.seed, 0);
}

static int usage_error(const char *text)
{
  fmt::print(stderr, "test_progs: {}\nTry 'test_progs --help'.\n", text);
  return exit_usage;
}

std::variant<Options, int> parse_options(int argc, char **argv)
{
  Options options;
  Raw raw;
  options.command.assign(argv, argv + argc);
  CLI::App app{"Functional tests of BPF maps and helpers.", "test_progs"};
  app.formatter(help_formatter());
  app.set_help_flag("-?,--help");
  app.set_version_flag("-V,--version", "test_progs " BPFGATE_VERSION, "");
  add_selectors(app, options.settings.selection);
  add_rest(app, options, raw);
  app.footer("NAMES: a,b/subtest,... or @FILE with one a line.\n\n"
             "  test_progs -t lpm -v                        all with lpm in their name\n"
             "  test_progs -a 'lpm_trie_create/*' --ktap    the subtests of one\n"
             "  test_progs -j -J out.json --junit out.xml   all, on all CPUs, with reports\n"
             "Exit: 0 passed, 1 failed, 2 nothing selected, 3 no report, 4 skipped, 64 usage.\n");
  try {
    std::vector<std::string> arguments;
    for (int i = argc - 1; i > 0; i--) // CLI11 takes them from the back
      arguments.push_back(expand_verbose(argv[i]));
    app.parse(arguments);
    finish_options(options, raw);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::Error &error) {
    return usage_error(error.what());
  } catch (const UsageError &error) {
    return usage_error(error.what());
  }
  return options;
}

} // namespace test
