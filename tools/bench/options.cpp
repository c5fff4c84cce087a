// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/options.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "tools/bench/counted.h"
#include "tools/bench/runner.h"
#include "tools/bench/suite.h"
#include "tools/bench/version.h"
#include "tools/lib/cpus.h"
#include "tools/lib/help.h"
#include "tools/lib/json_stream.h"
#include "tools/lib/text.h"

namespace bench
{

namespace
{

using Values = std::map<std::string, std::string>;

[[noreturn]] void usage(const std::string &text)
{
  throw early_exit{exit_usage, "bench: " + text + " (bench --help lists the options)"};
}

uint64_t whole_in_range(const std::string &option, const std::string &text, uint64_t min,
                        uint64_t max)
{
  auto value = parse_whole(text);
  if (!value || *value < min || *value > max)
    throw usage_error(
        fmt::format("{}: '{}' is not a whole number from {} to {}", option, text, min, max));
  return *value;
}

// getopt's habit, which scripts rely on: a long option may be cut short while it stays unique.
std::string complete_long_option(const std::string &arg, const std::set<std::string> &known)
{
  auto equals = arg.find('=');
  std::string name = arg.substr(0, equals);
  if (name.size() < 3 || name.compare(0, 2, "--") || known.count(name))
    return arg;
  std::vector<std::string> matches;
  for (const std::string &each : known)
    if (each.compare(0, name.size(), name) == 0)
      matches.push_back(each);
  if (matches.size() > 1)
    usage(fmt::format("option '{}' is ambiguous: {}", name, fmt::join(matches, ", ")));
  if (matches.empty())
    return arg;
  return matches.front() + (equals == arg.npos ? "" : arg.substr(equals));
}

// Everything that was given, still as text.
struct Raw {
  std::vector<std::string> names;
  std::string duration, warmup, producers, consumers, prod_affinity, cons_affinity;
  std::string interval, loads, json, suite, format;
  std::vector<std::string> inject;
  bool stacktrace = false;
  Values bench; // options of benchmarks, by name
};

void add_ours(CLI::App &app, Options &options, Raw &raw)
{
  auto ours = "Beyond the kernel's bench";
  auto text = [&](const char *names, std::string &value, const char *type, const char *help) {
    return app.add_option(names, value, help)->type_name(type)->group(ours);
  };
  text("--json", raw.json, "FILE", "write samples and environment (docs/results.md)");
  text("--loads", raw.loads, "NUM", "fresh object and maps so often (1; 3 under -icount)");
  text("--interval", raw.interval, "MS", "of a sample (1000); -w and -d count these");
  app.add_flag("--net", options.net, "also: latency less loop and key generation")->group(ours);
  app.add_option("--inject", raw.inject, "slow ops on purpose: 30% or GLOB=30%")
      ->type_name("PCT")
      ->take_all()
      ->allow_extra_args(false)
      ->group(ours);
  text("--suite", raw.suite, "seeds|quick", "the published sweeps; what gate runs");
  app.add_flag("--quick", options.quick, "with --suite seeds: under three minutes")->group(ours);
  text("--format", raw.format, "commit", "the table of a commit message; 20 loads");
  text("--before", options.before, "FILE", "of that table: what --json wrote earlier");
  app.add_flag("--serve", options.serve, "answer epochs on stdin (docs/serve.md)")->group(ours);
  app.add_flag("--probe", options.probe, "what this kernel has, and exit")->group(ours);
}

void add_common(CLI::App &app, Options &options, Raw &raw)
{
  app.set_help_flag("-?,-h,--help");
  app.set_version_flag("-V,--version", std::string("bench (bpfgate) ") + version, "");
  app.add_option("NAME", raw.names, "benchmarks or globs; several run one after another")
      ->take_all();
  app.add_flag("-l,--list", options.list, "list the benchmarks; with -v: what one operation does");
  auto text = [&app](const char *names, std::string &value, const char *type, const char *help) {
    return app.add_option(names, value, help)->type_name(type);
  };
  text("-d,--duration", raw.duration, "SEC", "seconds measured (5)");
  text("-w,--warmup", raw.warmup, "SEC", "seconds discarded first (1)");
  text("-p,--producers", raw.producers, "NUM", "producer threads (1), each pinned to a CPU");
  text("--prod-affinity", raw.prod_affinity, "CPUS", "CPUs of the producers: 0,2-4");
  app.add_flag("-v,--verbose", options.verbose, "libbpf's messages on stderr");
  text("-c,--consumers", raw.consumers, "NUM", "consumer threads: as many as it needs");
  text("--cons-affinity", raw.cons_affinity, "CPUS", "CPUs of the consumers (the first)");
  app.add_flag("-s,--stacktrace", raw.stacktrace, "programs of trig-* also take the stack");
  app.add_flag("-q,--quiet", options.quiet, "no 'Setting up' and 'started' lines");
  app.add_flag("-a,--affinity", options.affinity, "without effect: threads are always pinned");
  add_ours(app, options, raw);
}

std::string option_help(const Option &option)
{
  if (option.kind == Option::Kind::Number)
    return fmt::format("{}, {}..{} ({})", option.help, option.min, option.max, option.preset);
  if (option.kind == Option::Kind::Text)
    return fmt::format("{} ({})", option.help, option.choices.front());
  return option.kind == Option::Kind::Choice ? fmt::format("{}", fmt::join(option.choices, "|"))
                                             : option.help;
}

const char *type_name(const Option &option)
{
  return option.kind == Option::Kind::Number   ? "NUM"
         : option.kind == Option::Kind::Choice ? "CHOICE"
                                               : "TEXT";
}

void add_bench_option(CLI::App &app, Raw &raw, const Option &option, const std::string &group)
{
  auto keep = [&raw, name = option.name](const std::string &value) { raw.bench[name] = value; };
  CLI::Option *added =
      option.kind == Option::Kind::Flag
          ? app.add_flag_callback(
                "--" + option.name, [keep] { keep("1"); }, option_help(option))
          : app.add_option_function<std::string>("--" + option.name, keep, option_help(option))
                ->type_name(type_name(option));
  added->group(group);
}

// The same option name in two families is one option here; which values fit is decided later, for
// the benchmark that was named. --help shows those of the benchmarks that are named beside it.
void add_bench_options(CLI::App &app, Raw &raw, const std::vector<std::string> &args)
{
  std::set<std::string> added{"stacktrace"};
  auto is_named = [&args](const Descriptor &descriptor) {
    return std::any_of(args.begin(), args.end(), [&](const std::string &arg) {
      return fnmatch(arg.c_str(), descriptor.name.c_str(), 0) == 0;
    });
  };
  for (bool named : {true, false})
    for (const Descriptor &descriptor : registry())
      for (const Option &option : descriptor.options)
        if (is_named(descriptor) == named && added.insert(option.name).second)
          add_bench_option(app, raw, option, named ? "Of the benchmarks named" : "");
}

std::set<std::string> long_names(const CLI::App &app)
{
  std::set<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.insert("--" + name);
  return names;
}

const Descriptor *find_descriptor(const std::string &name)
{
  for (const Descriptor &descriptor : registry())
    if (descriptor.name == name)
      return &descriptor;
  return nullptr;
}

std::vector<std::string> expand_names(const std::vector<std::string> &patterns)
{
  std::vector<std::string> names, all;
  for (const Descriptor &descriptor : registry())
    all.push_back(descriptor.name);
  for (const std::string &pattern : patterns) {
    size_t before = names.size();
    for (const std::string &name : all)
      if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0)
        names.push_back(name);
    if (names.size() > before)
      continue;
    std::string text = fmt::format("benchmark '{}' not found", pattern);
    if (auto nearest = nearest_name(pattern, all))
      text += fmt::format("; did you mean '{}'?", *nearest);
    throw early_exit{exit_failed, text};
  }
  return names;
}

bool has_option(const Descriptor &descriptor, const std::string &name)
{
  return std::any_of(descriptor.options.begin(), descriptor.options.end(),
                     [&](const Option &option) { return option.name == name; });
}

void check_consumers(const Selected &selected, const std::string &given)
{
  if (given.empty())
    return;
  uint64_t consumers = whole_in_range("--consumers", given, 0, UINT32_MAX);
  if (consumers == selected.params.consumers)
    return;
  if (!selected.params.consumers)
    throw early_exit{exit_failed, "benchmark doesn't support consumers!"};
  throw usage_error(fmt::format("{} needs {} consumer{}, not {}", selected.descriptor->name,
                                selected.params.consumers,
                                selected.params.consumers == 1 ? "" : "s", consumers));
}

// With several names an option goes to those that have it; one that none has is a mistake.
std::vector<Selected> select_named(const Raw &raw, unsigned producers)
{
  auto names = expand_names(raw.names);
  for (const auto &[option, value] : raw.bench)
    if (std::none_of(names.begin(), names.end(), [&, option = option](const std::string &name) {
          return has_option(*find_descriptor(name), option);
        }))
      throw usage_error(fmt::format("--{} is no option of {}", option, fmt::join(names, ", ")));
  std::vector<Selected> selected;
  for (const std::string &name : names) {
    std::vector<std::pair<std::string, std::string>> values;
    for (const auto &value : raw.bench)
      if (has_option(*find_descriptor(name), value.first))
        values.push_back(value);
    if (raw.stacktrace && has_option(*find_descriptor(name), "stacktrace"))
      values.emplace_back("stacktrace", "1");
    selected.push_back(select(name, producers, values));
    check_consumers(selected.back(), raw.consumers);
    if (!raw.cons_affinity.empty())
      selected.back().params.consumer_cpus =
          producer_cpus(selected.back().params.consumers, parse_cpu_list(raw.cons_affinity));
  }
  return selected;
}

// "30%" slows everything selected, "GLOB=30%" what matches.
void apply_inject(std::vector<Selected> &selected, const std::string &text)
{
  auto equals = text.rfind('=');
  std::string glob = equals == text.npos ? "*" : text.substr(0, equals);
  std::string amount = equals == text.npos ? text : text.substr(equals + 1);
  if (!amount.empty() && amount.back() == '%')
    amount.pop_back();
  auto pct = parse_number(amount);
  if (!pct || *pct <= 0 || *pct > 100000)
    throw usage_error(
        fmt::format("--inject: '{}' is not a percentage above 0 (30%, GLOB=0.5%)", text));
  bool any = false;
  for (Selected &each : selected)
    if (fnmatch(glob.c_str(), each.descriptor->name.c_str(), 0) == 0) {
      each.inject_pct = *pct;
      any = true;
    }
  if (!any && !selected.empty())
    throw usage_error(fmt::format("--inject: nothing selected matches '{}'", glob));
}

void convert(Options &options, const Raw &raw)
{
  // Together they stay below what a clock of 63-bit nanoseconds can tell.
  constexpr uint64_t most_intervals = 1000000, most_ms = 3600000;
  auto whole = [](const char *option, const std::string &text, uint64_t min, uint64_t max,
                  uint64_t preset) {
    return text.empty() ? preset : whole_in_range(option, text, min, max);
  };
  if (!raw.format.empty() && raw.format != "commit")
    throw usage_error(fmt::format("--format: '{}' is not commit", raw.format));
  options.commit = !raw.format.empty();
  if (!options.before.empty() && !options.commit)
    throw usage_error("--before goes with --format commit");
  if (options.commit && options.serve)
    throw usage_error("--serve does not go with --format");
  // Of many short loads rather than a long one: the load is what is replicated.
  unsigned long preset = options.commit ? 1 : options.quick ? 3 : 5;
  options.duration = whole("--duration", raw.duration, 1, most_intervals, preset);
  options.warmup = whole("--warmup", raw.warmup, 1, most_intervals, 1);
  options.interval = std::chrono::milliseconds(whole("--interval", raw.interval, 1, most_ms,
                                                     options.commit  ? 50
                                                     : options.quick ? 100
                                                                     : 1000));
  options.json = raw.json;
  options.suite = raw.suite;
  // The sweeps of the published tables show much and decide nothing.
  uint64_t counted_loads = counting() && options.suite != "seeds" ? 3 : 1;
  options.loads = whole("--loads", raw.loads, 1, 100000, options.commit ? 20 : counted_loads);
  // What a reader takes of one benchmark: no bench has eight metrics.
  constexpr uint64_t most_samples = JsonBounds::values / 8;
  if (!options.json.empty() && options.duration * options.loads > most_samples)
    throw usage_error(fmt::format("--json: {} intervals of {} loads are more than {} samples",
                                  options.duration, options.loads, most_samples));
  if (!raw.prod_affinity.empty())
    options.producer_cpus = parse_cpu_list(raw.prod_affinity);
}

void select_all(Options &options, const Raw &raw)
{
  constexpr uint64_t most_producers = 256;
  unsigned producers =
      raw.producers.empty() ? 1 : whole_in_range("--producers", raw.producers, 1, most_producers);
  if (!options.suite.empty() && options.suite != "quick" && options.suite != "seeds")
    throw usage_error(fmt::format("--suite: '{}' is neither quick nor seeds", options.suite));
  if (!options.suite.empty() && (!raw.names.empty() || !raw.bench.empty()))
    throw usage_error("--suite chooses benchmarks and their options itself");
  if (options.suite == "seeds" && options.serve)
    throw usage_error("--serve does not go with --suite seeds");
  if (options.suite == "quick")
    options.selected = quick_suite();
  else if (options.suite.empty() && !raw.names.empty())
    options.selected = select_named(raw, producers);
  else if (options.suite.empty())
    throw early_exit{exit_failed, "benchmark name is not specified"};
  for (const std::string &text : raw.inject)
    apply_inject(options.selected, text);
  for (const Selected &each : options.selected)
    if (options.net && share_cpu(producer_cpus(each.params.producers, options.producer_cpus,
                                               each.params.consumers)))
      throw usage_error("--net needs a CPU for each producer");
}

std::string examples()
{
  return "  bench lpm-trie-lookup --nr_entries 10000     as the kernel's bench\n"
         "  bench -w1 -d2 -p2 'bloom-*'                  several, one after another\n"
         "  bench --net --loads 20 --interval 50 --json out.json strncmp-helper\n"
         "  bench 'lpm-*' --help                         also the options of these\n"
         "Exit: 0 done, 1 failed, 4 nothing to measure here, 64 wrong options, 130 Ctrl-C.\n";
}

} // namespace

static void set_text(Params &params, const Option &option, const std::string &value)
{
  if (value.size() < option.min || value.size() > option.max)
    throw usage_error(fmt::format("--{}: '{}' has not {} to {} bytes", option.name, value,
                                  option.min, option.max));
  params.set(option.name, value);
}

Selected select(const std::string &name, unsigned producers,
                const std::vector<std::pair<std::string, std::string>> &values)
{
  Selected selected{find_descriptor(name), {}, 0};
  if (!selected.descriptor)
    throw usage_error(fmt::format("no benchmark '{}'", name));
  selected.params.producers = producers;
  for (const Option &option : selected.descriptor->options) {
    if (!option.choices.empty())
      selected.params.set(option.name, option.choices.front());
    else
      selected.params.set(option.name, option.preset);
  }
  for (const auto &[key, value] : values) {
    auto option =
        std::find_if(selected.descriptor->options.begin(), selected.descriptor->options.end(),
                     [&, key = key](const Option &each) { return each.name == key; });
    if (option == selected.descriptor->options.end())
      throw usage_error(fmt::format("--{} is no option of {}", key, name));
    if (option->kind == Option::Kind::Text)
      set_text(selected.params, *option, value);
    else if (option->kind != Option::Kind::Choice)
      selected.params.set(key, whole_in_range("--" + key, value, option->min, option->max));
    else if (std::count(option->choices.begin(), option->choices.end(), value))
      selected.params.set(key, value);
    else
      throw usage_error(
          fmt::format("--{}: '{}' is none of {}", key, value, fmt::join(option->choices, ", ")));
  }
  selected.params.consumers = selected.descriptor->consumers(selected.params);
  selected.params.consumer_cpus = producer_cpus(selected.params.consumers, {});
  selected.descriptor->validate(selected.params);
  return selected;
}

std::string describe(const Option &option)
{
  std::string text = "--" + option.name;
  switch (option.kind) {
  case Option::Kind::Number:
    return text + fmt::format(" {}..{} ({})", option.min, option.max, option.preset);
  case Option::Kind::Choice:
    return text + fmt::format(" {}", fmt::join(option.choices, "|"));
  case Option::Kind::Text:
    return text + fmt::format(" TEXT ({})", option.choices.front());
  case Option::Kind::Flag:
    break;
  }
  return text;
}

std::string describe(const Selected &selected)
{
  std::string text = selected.descriptor->name;
  if (selected.params.producers != 1)
    text += fmt::format(" -p{}", selected.params.producers);
  for (const Option &option : selected.descriptor->options) {
    if (!option.choices.empty()) {
      if (selected.params.text(option.name) != option.choices.front())
        text += fmt::format(" --{} {}", option.name, selected.params.text(option.name));
    } else if (uint64_t value = selected.params.number(option.name); value != option.preset) {
      text += option.kind == Option::Kind::Flag ? fmt::format(" --{}", option.name)
                                                : fmt::format(" --{} {}", option.name, value);
    }
  }
  return text;
}

Options parse_command_line(int argc, char **argv)
{
  Options options;
  Raw raw;
  CLI::App app{"Measures BPF maps and helpers inside the running kernel.", "bench"};
  app.formatter(help_formatter());
  app.option_defaults()->take_last(); // as getopt does
  add_common(app, options, raw);
  add_bench_options(app, raw, {argv + 1, argv + argc});
  app.footer(examples());
  options.command.assign(argv, argv + argc);
  options.command.front() = "bench";
  try {
    std::vector<std::string> args(argv + 1, argv + argc);
    auto known = long_names(app);
    for (std::string &arg : args) {
      if (arg == "--")
        break;
      arg = complete_long_option(arg, known);
    }
    std::reverse(args.begin(), args.end()); // as CLI11 takes a vector
    app.parse(args);
    convert(options, raw);
    if (!options.list && !options.probe)
      select_all(options, raw);
  } catch (const CLI::CallForHelp &) {
    throw early_exit{0, app.help()};
  } catch (const CLI::CallForVersion &version_text) {
    throw early_exit{0, std::string(version_text.what()) + "\n"};
  } catch (const CLI::ParseError &error) {
    usage(error.what());
  } catch (const usage_error &error) {
    usage(error.what());
  } catch (const std::invalid_argument &error) {
    usage(error.what());
  }
  return options;
}

} // namespace bench
