// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// power: what the gate finds and what it wrongly alarms at, measured on real benches with injected
// slowdowns, beside the published rules of its peers on the same data. Not installed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tools/gate/research/power/counts.h"
#include "tools/gate/research/power/record.h"
#include "tools/gate/research/power/tables.h"
#include "tools/gate/system/interrupt.h"

static int print_tables(const std::string &path, const power::JudgeOptions &options)
{
  power::Data data = power::read_data(path);
  fmt::print("{}\n{}\n{}\n{}", power::benchmark_table(data, options),
             power::rules_table(data, options), power::designs_table(data, options),
             power::simulation_table(options));
  return 0;
}

// What follows "--"; by default the quick suite.
static std::vector<std::string> bench_arguments(const CLI::App &command)
{
  std::vector<std::string> arguments = command.remaining();
  return arguments.empty() ? std::vector<std::string>{"--suite", "quick"} : arguments;
}

static int run(int argc, char **argv)
{
  CLI::App app("What the gate finds, and what it wrongly alarms at.", "power");
  app.require_subcommand(1);
  power::RecordOptions options;
  CLI::App *record = app.add_subcommand("record", "measure a bench against itself, also slowed");
  record->allow_extras();
  record->add_option("FILE", options.path, "where the raw units go")->required();
  record->add_option("--bench", options.bench, "the bench executable")->required();
  record->add_option("--budget", options.budget_s, "seconds of measuring (600)");
  record->add_option("--units", options.units, "a round and effect; A/A three times (20)");
  record->add_option("--burn", options.burn, "threads that load the machine meanwhile (0)");
  record->add_option("--seed", options.seed, "of all random choices (0)");
  power::JudgeOptions judging;
  std::string path;
  CLI::App *judge = app.add_subcommand("judge", "judge a recording by all rules, as Markdown");
  judge->add_option("FILE", path, "what record wrote")->required();
  judge->add_option("--seconds", judging.seconds, "of measuring, per benchmark (2)");
  judge->add_option("--tolerance", judging.tolerance, "a fraction (0.01)");
  judge->add_option("--trials", judging.trials, "comparisons per benchmark and effect (100)");
  judge->add_option("--beyond-cache", judging.beyond_cache, "begin of a name; not in the sums");
  judge->add_option("--seed", judging.seed, "of the resampling (0)");
  power::CountOptions counting;
  CLI::App *counts = app.add_subcommand("counts", "instruction counts in guests, as Markdown");
  counts->allow_extras();
  counts->add_option("KERNEL", counting.kernels, "as vmtest --kernel takes it")->required();
  counts->add_option("--vmtest", counting.vmtest, "the vmtest executable")->required();
  counts->add_option("--bench", counting.bench, "the bench executable")->required();
  counts->add_option("--effect", counting.effects, "fractions (0.005)");
  counts->add_option("--baseline", counting.baseline, "boots that base is made of (5)");
  counts->add_option("--boots", counting.boots, "comparisons of a kernel and effect (10)");
  counts->add_option("--jobs", counting.jobs, "guests at a time (1)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (*judge)
    return print_tables(path, judging);
  gate::catch_interrupts();
  if (*counts) {
    counting.bench_arguments = bench_arguments(*counts);
    return power::print_counts(counting);
  }
  options.bench_arguments = bench_arguments(*record);
  return power::record(options);
}

int main(int argc, char **argv)
{
  try {
    return run(argc, argv);
  } catch (const std::exception &failure) {
    fmt::print(stderr, "power: {}\n", failure.what());
    return 2;
  }
}
