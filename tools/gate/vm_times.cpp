// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A unit is a pair of boots: a guest of either kernel runs "bench --serve", and both are driven as
// two builds on one machine are (interleave.h), with new guests for each round of units. How many
// pairs there are is fixed before the first, so there is one look, and alpha is spent once.
//
// What makes the number wrong: a guest that is no KVM guest. An emulator's time says nothing of
// hardware, so it is refused, or is advice only.
#include "tools/gate/vm_times.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

#include "tools/gate/commands.h"
#include "tools/gate/compare.h"
#include "tools/gate/fingerprint.h"
#include "tools/gate/run_command.h"
#include "tools/gate/vm_boots.h"
#include "tools/lib/environment.h"
#include "tools/lib/progress.h"

namespace gate
{

using result::Benchmark;
using result::Result;

// vmtest gives a boot a minute, under TCG four.
static constexpr long boot_ms = 300 * 1000;
static constexpr int bench_skipped = 4, bench_usage = 64;
// A boot takes seconds: a unit may well be longer than one that costs two processes.
static constexpr int unit_rounds = 10;
static constexpr double unit_budget_ns = 400e6;
static constexpr const char *emulated = "times under an emulator say nothing of hardware";

namespace
{

class KernelTimes {
public:
  explicit KernelTimes(const Options &options)
      : x_options(options), x_progress("ab"),
        x_boots({command(0), command(1)},
                Plan{.rounds = unit_rounds,
                     .unit_budget_ns = unit_budget_ns,
                     .timeout_ms = options.timeout_ms,
                     .start_ms = boot_ms},
                options.seed, [this](size_t done, size_t total, const std::string &name) {
                  x_progress.show(done, total, name);
                })
  {
    x_report = {.command = "ab", .alpha = options.alpha, .seed = options.seed};
    x_report.policy = options.policy();
    x_report.started = utc_now();
  }

  int run()
  {
    try {
      check_host();
      list();
      measure();
    } catch (const boot_error &failure) {
      x_report.rows = {invalid_row(failure.what())};
    } catch (const serve_error &failure) {
      x_report.rows = {invalid_row(failure.what())};
    }
    x_progress.clear();
    hint_renames(x_report.rows);
    return finish(x_report, x_options);
  }

private:
  static Row invalid_row(const std::string &why)
  {
    return {.name = "boots", .metric = "figures", .verdict = Verdict::Invalid, .note = why};
  }

  std::vector<std::string> vmtest_arguments(std::vector<std::string> arguments) const
  {
    bool only_kvm = !x_options.vm.allow_tcg;
    arguments.insert(arguments.end(), {"--accelerator", only_kvm ? "kvm" : "auto"});
    return arguments;
  }

  // No time-out of bench's in vmtest: gate has one for each answer, and ends it.
  Command command(size_t side) const
  {
    std::vector<std::string> arguments =
        vmtest_arguments({"--kernel", x_options.vm.kernels[side], "--stdin", "--timeout", "0"});
    arguments.insert(arguments.end(), {"--", x_options.bench});
    arguments.insert(arguments.end(), x_options.bench_arguments.begin(),
                     x_options.bench_arguments.end());
    return {x_options.vm.vmtest, arguments};
  }

  // Before anything boots: QEMU, KVM and both kernels are there, fetched where need be.
  void check_host()
  {
    constexpr long day_ms = 24l * 3600 * 1000;
    std::vector<std::string> argv =
        vmtest_arguments({x_options.vm.vmtest, "--dry-run", "--kernel", x_options.vm.kernels[0],
                          "--kernel", x_options.vm.kernels[1]});
    argv.insert(argv.end(), {"--", x_options.bench});
    x_progress.show(0, 1, "kernels");
    Finished finished = run_command(argv, day_ms);
    if (finished.failure.empty())
      return;
    try {
      explain_nothing(finished);
    } catch (const nothing_measurable &reason) {
      if (std::string_view(reason.what()).find("KVM does not work") == std::string_view::npos)
        throw;
      throw nothing_measurable(
          fmt::format("{}; {} (--allow-tcg: as advice)", reason.what(), emulated));
    }
  }

  // As list_bench(), where bench is not all that can fail.
  Result list_side(size_t side)
  {
    x_progress.show(side, 2, "boot of " + x_options.vm.kernels[side]);
    try {
      Result list = x_boots.list(side);
      if (list.benchmarks.empty())
        throw usage_error("bench selects no benchmark with these arguments");
      return list;
    } catch (const refusal &answer) {
      throw nothing_measurable(answer.what());
    } catch (const serve_error &failure) {
      if (failure.exit_status() == bench_usage)
        throw usage_error(failure.what());
      if (failure.exit_status() == bench_skipped)
        throw nothing_measurable(failure.what());
      throw;
    }
  }

  void list()
  {
    for (size_t side : {0, 1})
      x_sides[side] = list_side(side);
    x_report.base_environment = x_sides[0].environment;
    x_report.comp_environment = x_sides[1].environment;
    rename_benchmarks(x_sides[0], x_options.renames);
    check_accelerators();
    compare_guests();
  }

  void check_accelerators()
  {
    for (const Result &side : x_sides) {
      std::string accelerator = side.environment.text_of("accelerator");
      if (accelerator == "kvm")
        continue;
      if (!x_options.vm.allow_tcg)
        throw nothing_measurable(fmt::format("the guest runs on '{}'; {}", accelerator, emulated));
      x_report.policy.advisory = true;
    }
    if (x_report.policy.advisory)
      x_report.remarks.push_back(fmt::format("advice only, without KVM: {}", emulated));
  }

  void compare_guests()
  {
    Differences differences =
        compare_environments(x_report.base_environment, x_report.comp_environment);
    for (const std::string &each : differences.warned)
      x_report.remarks.push_back("differs: " + each);
    if (differences.refused.empty())
      return;
    std::string why = "other machine or configuration: " + joined(differences.refused);
    if (x_report.policy.advisory)
      x_report.remarks.push_back(why);
    else
      x_settings.incomparable = why;
  }

  void measure()
  {
    make_tasks();
    std::vector<Task *> tasks;
    for (Task &task : x_tasks)
      tasks.push_back(&task);
    if (x_settings.incomparable.empty()) {
      x_boots.measure(tasks);
      x_report.remarks.push_back(
          fmt::format("{} pairs of boots in random order, seed {}: {} against {}", x_options.pairs,
                      x_options.seed, kernel_of(x_report.comp_environment),
                      kernel_of(x_report.base_environment)));
    }
    x_report.skipped = why_all_skipped(tasks);
    if (x_report.skipped.empty())
      judge_all();
  }

  // What both sides have. Of the rest match_rows() tells.
  void make_tasks()
  {
    std::map<std::string, size_t> base;
    for (size_t i = 0; i < x_sides[0].benchmarks.size(); i++)
      base.emplace(benchmark_key(x_sides[0].benchmarks[i]), i);
    for (size_t i = 0; i < x_sides[1].benchmarks.size(); i++) {
      const Benchmark &comp = x_sides[1].benchmarks[i];
      if (auto found = base.find(benchmark_key(comp)); found != base.end())
        x_tasks.push_back({.name = comp.name,
                           .targets = {{0, found->second}, {1, i}},
                           .batched = comp.batched.value_or(true),
                           .units = x_options.pairs});
    }
  }

  void judge_all()
  {
    x_settings.paired = true;
    x_settings.tolerance = x_options.tolerance;
    x_settings.alpha = x_options.alpha;
    x_settings.fewest_loads = 0;
    for (const Task &task : x_tasks) {
      if (task.sides.empty())
        continue;
      for (size_t side : {0, 1})
        put_samples(x_sides[side].benchmarks[task.targets[side].number], task.sides[side]);
      std::string key = benchmark_key(x_sides[1].benchmarks[task.targets[1].number]);
      x_settings.comp_second[key] = task.second_first;
      x_settings.comp_second[key].flip();
      if (x_options.vm.kernels[0] == x_options.vm.kernels[1])
        x_settings.identical.insert(key);
    }
    std::vector<Candidate> rows = match_rows(x_sides[0], x_sides[1], x_settings);
    judge(rows, x_options.alpha, x_options.alpha);
    x_report.rows = rows_of(std::move(rows));
  }

  const Options &x_options;
  Progress x_progress;
  Interleave x_boots;
  Report x_report;
  std::array<Result, 2> x_sides; // their lists, with samples when these were taken
  std::vector<Task> x_tasks;
  Settings x_settings;
};

} // namespace

int compare_kernel_times(const Options &options) { return KernelTimes(options).run(); }

} // namespace gate
