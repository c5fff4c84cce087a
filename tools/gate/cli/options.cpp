// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/cli/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <random>

#include "tools/gate/cli/help.h"
#include "tools/gate/cli/thresholds.h"
#include "tools/gate/cli/version.h"
#include "tools/gate/cli/vm_options.h"
#include "tools/gate/history/store.h"
#include "tools/gate/judge/compare.h"
#include "tools/lib/json.h"
#include "tools/lib/text.h"

namespace fs = std::filesystem;

namespace gate
{

static constexpr size_t fewest_units = 20, most_units = 1000;

// The whole text as a number that is not negative.
static double parse_unsigned(const std::string &name, const std::string &text, const char *kind)
{
  auto value = parse_number(text);
  if (!value || std::signbit(*value))
    throw usage_error(fmt::format("{}: '{}' is no {}", name, text, kind));
  return *value;
}

double parse_percent(const std::string &name, const std::string &text)
{
  std::string number = text;
  if (number.ends_with('%'))
    number.pop_back();
  while (number.ends_with(' '))
    number.pop_back();
  try {
    return parse_unsigned(name, number, "percentage") / 100;
  } catch (const usage_error &) {
    throw usage_error(fmt::format("{}: '{}' is no percentage (5, 0.5%, 150 %)", name, text));
  }
}

uint64_t parse_count(const std::string &name, const std::string &text, uint64_t least,
                     uint64_t most)
{
  auto value = parse_whole(text);
  if (!value || *value < least || *value > most)
    throw usage_error(
        fmt::format("{}: '{}' is no whole number from {} to {}", name, text, least, most));
  return *value;
}

static double parse_alpha(const std::string &text)
{
  double alpha = parse_unsigned("--alpha", text, "probability");
  if (alpha <= 0 || alpha > 0.5)
    throw usage_error(fmt::format("--alpha: {} is not above 0 and at most 0.5", text));
  return alpha;
}

static void parse_rename(const std::string &text, std::map<std::string, std::string> &renames)
{
  auto names = split_rename(text);
  if (!names)
    throw usage_error(fmt::format("--rename: '{}' is not OLD=NEW", text));
  if (!renames.insert(*names).second)
    throw usage_error(fmt::format("--rename: '{}' has two new names", names->first));
}

static void parse_direction(const std::string &text, std::map<std::string, std::string> &directions)
{
  size_t equals = text.rfind('=');
  std::string direction = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (equals == 0 || (direction != "lower" && direction != "higher" && direction != "none"))
    throw usage_error(fmt::format("--better: '{}' is not METRIC=lower, =higher or =none", text));
  directions[text.substr(0, equals)] = direction;
}

static std::string on_path(const std::string &program)
{
  const char *path = getenv("PATH");
  for (const std::string &directory : CLI::detail::split(path ? path : "", ':'))
    if (std::string full = directory + "/" + program; access(full.c_str(), X_OK) == 0)
      return full;
  throw usage_error(fmt::format("no '{0}' beside gate nor on PATH: name it with --{0}", program));
}

// given: what the option --NAME says. built: where the build tree has it, from gate's own
// directory; installed, it is beside gate.
static std::string find_program(const std::string &name, const std::string &given,
                                const char *built)
{
  if (given.find('/') != std::string::npos)
    return given;
  if (!given.empty())
    return on_path(given);
  std::error_code error;
  fs::path own = fs::read_symlink("/proc/self/exe", error);
  if (!error)
    for (const fs::path &place : {own.parent_path() / built, own.parent_path() / name})
      if (fs::is_regular_file(place, error))
        return place.lexically_normal();
  return on_path(name);
}

std::vector<std::string> without_inject(const std::vector<std::string> &arguments)
{
  std::vector<std::string> kept;
  for (size_t i = 0; i < arguments.size(); i++)
    if (arguments[i] == "--inject")
      i++;
    else if (!arguments[i].starts_with("--inject="))
      kept.push_back(arguments[i]);
  return kept;
}

// Nothing selected is the quick suite.
static std::vector<std::string> bench_arguments(std::vector<std::string> given)
{
  for (const std::string &argument : given)
    if (argument == "--serve")
      throw usage_error("--serve is what gate itself gives to bench");
  if (without_inject(given).empty())
    given.insert(given.begin(), {"--suite", "quick"});
  return given;
}

namespace
{

struct Texts {
  std::string tolerance, stored_tolerance, drift_budget, alpha, units, max_units, timeout, seed;
  std::string pairs, budget, trials;
  std::string thresholds;
  std::vector<std::string> renames, directions, formats, sections;
};

} // namespace

static void add_format(CLI::App &command, Texts &texts)
{
  command
      .add_option("--format", texts.formats,
                  "or FORMAT=FILE: also in this format (docs/reports.md)")
      ->allow_extra_args(false);
}

static void add_judging(CLI::App &command, Options &options, Texts &texts)
{
  command.add_option("--tolerance", texts.tolerance,
                     "slowdown that is accepted (5; 0.2 for counts)");
  command.add_option("--alpha", texts.alpha, "chance of any false alarm in a run (0.01)");
  command.add_option("--rename", texts.renames, "a benchmark's name in the baseline and now");
  command.add_flag("--strict", options.strict, "inconclusive is incomplete: exit 3");
  command.add_flag("--bisect", options.bisect,
                   "exit 0, 1 or 125 (nothing certain), for git bisect");
  command.add_option("--json", options.json, "write the report (docs/gate-json.md)");
  add_format(command, texts);
}

// Of commands that compare with something stored.
static void add_history(CLI::App &command, Options &options, Texts &texts)
{
  command.add_option("--drift-budget", texts.drift_budget,
                     "slowdown since the anchor that is accepted");
  command.add_option("--thresholds", texts.thresholds, "tolerances of rows, TOML (docs/gate.md)");
  command.add_option("--anchor", options.anchor,
                     "the anchor (the last one); compare: or a result file");
  command.add_option("--waivers", options.waivers, "file of waivers (docs/baselines.md)");
  command.add_flag("--allow-foreign", options.allow_foreign,
                   "compare with another machine's, as advice only");
}

static void add_store(CLI::App &command, Options &options)
{
  command.add_option("--store", options.store, "of baselines (~/.local/state/bpfgate)");
}

static CLI::App *add_explain(CLI::App &app, Options &options)
{
  CLI::App *explain = app.add_subcommand("explain", "say why a row has its verdict");
  explain->add_option("ROW", options.comp, "a part of its name and parameters, or a glob")
      ->required();
  explain->add_option("--report", options.base, "what --json wrote (the last check or ab)");
  add_store(*explain, options);
  return explain;
}

static CLI::App *add_selftest(CLI::App &app, Options &options, Texts &texts)
{
  CLI::App *selftest = app.add_subcommand("selftest", "how often this host raises false alarms");
  selftest
      ->add_flag("--aa", options.aa,
                 "check the recorded bench against itself (the only test there is)")
      ->required();
  selftest->add_option("--trials", texts.trials, "whole checks (20)");
  selftest->add_option("--tolerance", texts.tolerance, "as in check, percent (5)");
  selftest->add_option("--alpha", texts.alpha, "as in check (0.01)");
  selftest->add_option("--units", texts.units, "fresh loads a side, as in check (20)");
  selftest->add_option("--max-units", texts.max_units, "as in check (10 times --units)");
  selftest->add_option("--seed", texts.seed, "of all random choices (random; it is reported)");
  selftest->add_option("--timeout", texts.timeout, "that bench has for an answer (120)");
  selftest->add_option("--json", options.json, "write the outcome to FILE (docs/gate-json.md)");
  add_store(*selftest, options);
  return selftest;
}

static CLI::App *add_ab(CLI::App &app, Options &options, Texts &texts)
{
  CLI::App *ab = app.add_subcommand("ab", "run two commands in turns and compare what they print");
  ab->add_option("--a", options.base, "command of the base; blanks and quotes as in a shell");
  ab->add_option("--b", options.comp, "command that is judged");
  ab->add_option("--pairs", texts.pairs, "runs a side (40)");
  ab->add_option("--budget", texts.budget, "as many pairs as fit, instead of --pairs");
  ab->add_option("--seed", texts.seed, "of the order (random; it is reported)");
  ab->add_option("--timeout", texts.timeout, "that one run may take (120)");
  add_judging(*ab, options, texts);
  add_store(*ab, options);
  ab->footer("Read from standard output: our result file, or the Summary lines of the kernel's\n"
             "bench; of any other command the wall time is compared.");
  return ab;
}

static void add_measuring(CLI::App &command, Options &options, Texts &texts)
{
  command.allow_extras();
  command.footer("Everything else is given to bench: names, globs and its options.\n"
                 "Nothing at all: --suite quick.");
  add_store(command, options);
  command.add_option("--bench", options.bench, "the bench executable to measure");
  command.add_option("--units", texts.units, "fresh loads a side (20)");
  command.add_option("--seed", texts.seed, "of all random choices (random; it is reported)");
  command.add_option("--timeout", texts.timeout, "that bench has for an answer (120)");
}

static void take_formats(Options &options, const std::vector<std::string> &formats)
{
  try {
    for (const std::string &format : formats)
      options.outputs.push_back(parse_output(format));
    std::vector<Output> all = options.outputs;
    if (!options.json.empty())
      all.push_back({"json", options.json});
    if (!options.html.empty())
      all.push_back({"html", options.html});
    else if (!options.history.empty())
      throw usage_error("--history is for the page: it goes with --html");
    check_outputs(all);
  } catch (const std::invalid_argument &wrong) {
    throw usage_error(wrong.what());
  }
}

static void take_texts(Options &options, const Texts &texts)
{
  if (!texts.tolerance.empty())
    options.count_tolerance = options.tolerance = parse_percent("--tolerance", texts.tolerance);
  if (!texts.stored_tolerance.empty())
    options.stored_tolerance = parse_percent("--stored-tolerance", texts.stored_tolerance);
  if (!texts.drift_budget.empty())
    options.drift_budget = parse_percent("--drift-budget", texts.drift_budget);
  if (!texts.alpha.empty())
    options.alpha = parse_alpha(texts.alpha);
  if (!texts.units.empty())
    options.units = parse_count("--units", texts.units, 1, most_units);
  options.max_units = std::min(10 * std::max(options.units, fewest_units), 2 * most_units);
  if (!texts.max_units.empty())
    options.max_units = parse_count("--max-units", texts.max_units, 1, 2 * most_units);
  if (!texts.timeout.empty())
    options.timeout_ms = parse_count("--timeout", texts.timeout, 1, 86400) * 1000;
  options.seed =
      texts.seed.empty() ? std::random_device()() : parse_count("--seed", texts.seed, 0, INT64_MAX);
  for (const std::string &rename : texts.renames)
    parse_rename(rename, options.renames);
  for (const std::string &direction : texts.directions)
    parse_direction(direction, options.directions);
  if (!texts.thresholds.empty())
    options.thresholds = read_thresholds(texts.thresholds);
  take_formats(options, texts.formats);
}

static void take_sections(Options &options, const std::vector<std::string> &sections)
{
  if (sections.empty() && options.comp.empty())
    throw usage_error("COMP is required, or --sections");
  if (sections.empty())
    return;
  if (!options.comp.empty())
    throw usage_error("--sections: both sides are in one file, and two are given");
  if (sections.size() != 2)
    throw usage_error("--sections: two names are needed, as in before,after");
  std::copy(sections.begin(), sections.end(), options.sections.begin());
}

static void take_counts(Options &options, const Texts &texts)
{
  if (!texts.pairs.empty() && !texts.budget.empty())
    throw usage_error("--pairs and --budget: only one of them");
  if (!texts.trials.empty())
    options.trials = parse_count("--trials", texts.trials, 1, 1000000);
  if (!texts.pairs.empty())
    options.pairs = parse_count("--pairs", texts.pairs, 1, Options::most_pairs);
  if (!texts.budget.empty())
    options.budget_s = parse_unsigned("--budget", texts.budget, "number of seconds");
  if (!texts.budget.empty() && options.budget_s == 0)
    throw usage_error("--budget: 0 seconds are nothing");
}

static void check_units(const Options &options)
{
  if (options.command == "record" && options.units < fewest_units)
    throw usage_error(fmt::format("--units: a baseline needs at least {} units", fewest_units));
  if (options.command != "record" && options.max_units < options.units + fewest_units)
    throw usage_error(fmt::format("--max-units: at least {}, so that {} fresh units can confirm",
                                  options.units + fewest_units, fewest_units));
}

Comparison Options::comparison() const
{
  Comparison how = {.settings = {.tolerance = tolerance, .alpha = alpha},
                    .allow_foreign = allow_foreign,
                    .renames = renames};
  if (count_tolerance)
    how.settings.count_tolerance = *count_tolerance;
  if (since_anchor)
    allow_only(how.settings, tolerance);
  else
    how.settings.thresholds = thresholds;
  return how;
}

Options parse_options(int argc, const char *const *argv)
{
  Options options;
  Texts texts;
  VmTexts vm_texts;
  CLI::App app("Compares benchmarks of BPF and fails on what became slower.", "gate");
  app.set_version_flag("--version", std::string("gate ") + BPFGATE_VERSION, "");
  app.require_subcommand(1);
  CLI::App *record = app.add_subcommand("record", "measure bench and keep it as the baseline");
  add_measuring(*record, options, texts);
  record->add_flag("--if-missing", options.if_missing,
                   "only where none of the selected benchmarks has a baseline yet");
  add_vm(*record, options, vm_texts);
  record->add_option("--reason", options.baseline.reason,
                     "why a slower baseline is wanted; without it, it is not accepted");
  record->add_option("--json", options.json, "also write the figures to FILE (docs/results.md)");
  CLI::App *check = app.add_subcommand("check", "measure bench interleaved with the baseline");
  add_measuring(*check, options, texts);
  add_judging(*check, options, texts);
  add_history(*check, options, texts);
  check->add_flag("--tail", options.show_tail, "also show the slow tail of epochs");
  check->add_flag("--gate-tail", options.gate_tail, "it may fail, too; with --tail");
  add_vm(*check, options, vm_texts);
  check->add_option("--max-units", texts.max_units, "with those that confirm (10 times --units)");
  check->add_option("--stored-tolerance", texts.stored_tolerance,
                    "judge separate runs, which drift by so much at most");
  CLI::App *compare = app.add_subcommand("compare", "compare two files of results");
  compare->add_option("BASE", options.base, "any format of docs/formats.md; - is standard input")
      ->required();
  compare->add_option("COMP", options.comp, "not with --sections");
  compare
      ->add_option("--sections", texts.sections,
                   "compare two parts of BASE, by their headings (docs/formats.md)")
      ->delimiter(',')
      ->expected(2)
      ->allow_extra_args(false);
  compare->add_option("--better", texts.directions, "lower, higher or none: what is good of it");
  compare->add_option("--gate", options.gated, "judge METRIC, which would only be shown")
      ->allow_extra_args(false);
  compare->add_option("--filter", options.filters, "only benchmarks with that name or glob")
      ->allow_extra_args(false);
  compare->add_flag("--partial", options.partial, "use what comes before a break in broken JSON");
  add_judging(*compare, options, texts);
  add_history(*compare, options, texts);
  add_store(*compare, options);
  CLI::App *report = app.add_subcommand("report", "convert a report that --json wrote");
  report->add_option("REPORT", options.report, "the report, JSON")->required();
  report->add_option("--html", options.html, "write it as one self-contained page");
  report->add_option("--history", options.history, "for the page: what gate trend --json wrote");
  add_format(*report, texts);
  CLI::App *ab = add_ab(app, options, texts);
  add_vm_ab(*ab, options, vm_texts);
  CLI::App *own[] = {ab,
                     add_explain(app, options),
                     add_selftest(app, options, texts),
                     add_baseline(app, options),
                     add_trend(app, options),
                     add_fingerprint(app, options)};
  prepare_help(app);
  // After "--" everything is for bench, whether gate knows it or not.
  const char *const *mark = std::find(argv, argv + argc, std::string_view("--"));
  try {
    app.parse(mark - argv, argv);
  } catch (const CLI::CallForHelp &) {
    throw early_exit{app.help()};
  } catch (const CLI::CallForVersion &) {
    throw early_exit{std::string("gate ") + BPFGATE_VERSION + "\n"};
  } catch (const CLI::ParseError &error) {
    throw usage_error(error.what());
  }
  CLI::App *chosen = app.get_subcommands().at(0);
  options.command = chosen->get_name();
  take_texts(options, texts);
  take_counts(options, texts);
  check_units(options);
  if (chosen == compare)
    take_sections(options, texts.sections);
  if (chosen == compare || chosen == report)
    return options;
  std::vector<std::string> rest = chosen->remaining();
  rest.insert(rest.end(), mark == argv + argc ? mark : mark + 1, argv + argc);
  take_vm(*chosen, options, vm_texts);
  if (options.store.empty())
    options.store = Store::default_directory();
  if (!options.in_vm() && std::find(std::begin(own), std::end(own), chosen) != std::end(own)) {
    if (!rest.empty())
      throw usage_error(fmt::format("'{}': bench is not asked for", rest[0]));
    check_baseline(options);
    return options;
  }
  options.whole_suite = without_inject(rest).empty();
  options.bench_arguments = bench_arguments(std::move(rest));
  options.bench = find_program("bench", options.bench, "../../benchs/bench");
  if (options.in_vm())
    options.vm.vmtest = find_program("vmtest", options.vm.vmtest, "../vmtest/vmtest");
  return options;
}

} // namespace gate
