// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate check: measures bench against the baseline.
//
// Two looks, so that alpha is spent honestly. The first, with --units units, only settles what is
// proven not worse; everything else is measured again, and only these fresh units decide: no
// regression is told that was not seen twice, and the choice of what to look at again cannot bias
// the test. Holm's family is what the second look holds, at --alpha. "Unchanged" may be claimed at
// either look, so its alpha is shared out: 0.6 for the first, 0.4 for the second. How many fresh
// units a benchmark gets follows from its first look alone, so it is fixed before the second
// begins.
//
// What cannot be measured interleaved (other kernel, executable gone) is measured alone and
// compared with the history of stored figures (stored_times.h).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/gate/cli/thresholds.h"
#include "tools/gate/commands/check_baseline.h"
#include "tools/gate/commands/check_history.h"
#include "tools/gate/commands/commands.h"
#include "tools/gate/commands/selftest.h"
#include "tools/gate/history/store.h"
#include "tools/gate/history/stored_times.h"
#include "tools/gate/history/waivers.h"
#include "tools/gate/judge/compare.h"
#include "tools/gate/judge/drift.h"
#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/measure/null_arm.h"
#include "tools/gate/system/interrupt.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/environment.h"
#include "tools/lib/hash.h"
#include "tools/lib/progress.h"
#include "tools/lib/strip.h"

namespace gate
{

using result::Benchmark;
using result::Result;
using result::Status;

namespace
{

// One recording's part in this run.
struct Group {
  Recording *recording = nullptr;
  std::optional<Artefact> artefact; // held while it is executed
  std::string why_stored;           // empty: measured interleaved
  Settings settings;
  std::vector<Task> tasks;
  std::vector<Benchmark> base, comp; // one a task, without samples

  bool interleaved() const { return why_stored.empty(); }
};

class Check {
public:
  // against: compared with this recording instead of the baseline.
  explicit Check(const Options &options, const Recording *against = nullptr)
      : x_options(options), x_seed(options.seed), x_against(against), x_store(options.store),
        x_progress(against ? "against" : "check")
  {
    x_report = {.command = "check", .alpha = options.alpha, .seed = options.seed};
    x_report.policy = options.policy();
    x_report.started = utc_now();
  }

  Report &run()
  {
    x_executable = without_debug(read_file(x_options.bench, size_t{1} << 30));
    x_bench_hash = sha1_hex(x_executable);
    start_comp();
    read_baseline();
    if (!x_groups.empty())
      measure();
    if (!x_against)
      judge_rest();
    x_progress.clear();
    return x_report;
  }

  const std::string &machine() const { return x_class; }

  void keep()
  {
    // git bisect goes back and forth in time, and an injection is no run of the code.
    if (x_options.bisect || without_inject(x_options.bench_arguments) != x_options.bench_arguments)
      return remark("not kept in the history: slowed on purpose, or a step of git bisect");
    for (bool interleaved : {false, true}) {
      Run run = {.series = {x_class, without_inject(x_options.bench_arguments)},
                 .how = interleaved ? How::Interleaved : How::Alone,
                 .seed = x_options.seed};
      for (const Group &group : x_groups)
        if (group.interleaved() == interleaved)
          run.base_revision = group.recording->result.tool.revision;
      remark(keep_checked(x_store, x_report, std::move(run), x_executable, figures(interleaved)));
    }
  }

private:
  std::unique_ptr<Interleave> make_interleave(std::vector<Command> commands)
  {
    return std::make_unique<Interleave>(std::move(commands),
                                        Plan{.timeout_ms = x_options.timeout_ms}, x_seed,
                                        [this](size_t done, size_t total, const std::string &name) {
                                          x_progress.show(done, total, name);
                                        });
  }

  void start_comp()
  {
    x_commands = {{x_options.bench, x_options.bench_arguments}};
    x_comp = list_bench(*make_interleave(x_commands), 0);
    x_class = class_name(x_comp.environment);
    x_report.comp_environment = x_comp.environment;
  }

  void remark(const std::string &text)
  {
    auto &remarks = x_report.remarks;
    if (!text.empty() && std::find(remarks.begin(), remarks.end(), text) == remarks.end())
      remarks.push_back(text);
  }

  // Of this machine's class, or else of a foreign one with the fewest differences.
  void read_baseline()
  {
    x_baseline_class = x_class;
    if (x_against)
      x_baseline.recordings = {*x_against};
    else
      x_baseline = choose_baseline(x_store, x_comp.environment, x_baseline_class);
    if (x_baseline.recordings.empty())
      remark(fmt::format("no baseline in '{}' for this machine: gate record makes one",
                         x_options.store));
    x_expected =
        expected_keys(x_baseline, without_inject(x_options.bench_arguments), x_options.renames);
    check_names();
    for (Recording &recording : x_baseline.recordings) {
      x_report.base_environment =
          recording.result.environment; // of the last one, where they differ
      rename_benchmarks(recording.result, x_options.renames);
      add_group(recording);
    }
  }

  void check_names() const
  {
    std::vector<const Result *> known = {&x_comp};
    for (const Recording &recording : x_baseline.recordings)
      known.push_back(&recording.result);
    if (!x_against)
      check_thresholds(x_options.thresholds, known);
  }

  std::string why_stored(Group &group)
  {
    const Value &then = group.recording->result.environment, &now = x_comp.environment;
    if (class_name(then) != x_class)
      return "it was recorded on another machine";
    if (!same_kernel(then, now))
      return "it was recorded on another kernel";
    std::string why;
    group.artefact = x_store.artefact(group.recording->artefact, why);
    return why;
  }

  void add_group(Recording &recording)
  {
    Group group = {.recording = &recording};
    group.why_stored = why_stored(group);
    Result list;
    size_t command = x_commands.size();
    if (group.interleaved()) {
      Command base = {group.artefact->path(), recording.arguments};
      try {
        list = make_interleave({base})->list(0);
        rename_benchmarks(list, x_options.renames);
        x_commands.push_back(base);
      } catch (const interrupted_error &) {
        throw;
      } catch (const std::exception &failure) {
        group.why_stored = fmt::format("its executable does not run here: {}", failure.what());
      }
    }
    set_rules(group);
    add_tasks(group, list, command);
    x_groups.push_back(std::move(group));
  }

  void set_rules(Group &group)
  {
    Settings &settings = group.settings;
    settings.alpha = x_options.alpha;
    if (!x_options.since_anchor)
      settings.thresholds = x_options.thresholds;
    settings.expected.emplace(); // what is missing is found by judge_rest()
    settings.paired = group.interleaved();
    settings.tolerance = settings.paired ? x_options.tolerance
                                         : x_options.stored_tolerance.value_or(x_options.tolerance);
    if (x_options.since_anchor)
      allow_only(settings, settings.tolerance);
    settings.planned_units = 2 * x_options.units;
    settings.show_tail = x_options.show_tail;
    settings.gate_tail = x_options.gate_tail;
    Differences differences =
        compare_environments(group.recording->result.environment, x_comp.environment);
    for (const std::string &each : differences.warned)
      remark("differs from the recording: " + each);
    for (const std::string &each : differences.refused)
      remark("differs from the recording: " + each);
    if (settings.paired)
      return;
    remark(fmt::format("compared with stored figures, since {}", group.why_stored));
    if (differences.refused.empty())
      return;
    x_report.policy.advisory |= x_options.allow_foreign;
    if (x_options.allow_foreign)
      remark("advice only, since --allow-foreign was given");
    else
      settings.incomparable = "other machine or configuration: " + joined(differences.refused);
  }

  // Pairs what comp selects with what this recording has.
  void add_tasks(Group &group, const Result &list, size_t command)
  {
    std::map<std::string, size_t> numbers;
    for (size_t i = 0; i < list.benchmarks.size(); i++)
      numbers.emplace(result::benchmark_key(list.benchmarks[i]), i);
    bool identical = group.recording->artefact == x_bench_hash &&
                     group.recording->arguments == x_options.bench_arguments;
    for (const Benchmark &stored : group.recording->result.benchmarks) {
      std::string key = result::benchmark_key(stored);
      auto same = [&](const Benchmark &b) { return result::benchmark_key(b) == key; };
      auto found = std::find_if(x_comp.benchmarks.begin(), x_comp.benchmarks.end(), same);
      if (found == x_comp.benchmarks.end())
        continue;
      x_paired.insert(key);
      if (identical && !x_options.is_selftest)
        group.settings.identical.insert(key);
      Task task = {.name = found->name, .targets = {}, .batched = found->batched.value_or(true)};
      Task::Target comp = {0, static_cast<size_t>(found - x_comp.benchmarks.begin())};
      group.comp.push_back(*found);
      group.base.push_back(stored);
      if (!group.interleaved()) {
        task.targets = {comp};
      } else if (auto number = numbers.find(key); number != numbers.end()) {
        task.targets = {{command, number->second}, comp};
        group.base.back() = list.benchmarks[number->second];
      }
      group.tasks.push_back(std::move(task));
    }
  }

  // Once more from the beginning where the null arm says that the run is not to be trusted; what
  // still alarms then is told as what it is.
  void measure()
  {
    x_null = std::make_unique<NullArm>(x_options.bench, x_commands, x_options.timeout_ms);
    std::vector<std::string> remarks = x_report.remarks;
    measure_once();
    if (x_null->judge_last(x_options.alpha)) {
      x_report.remarks = std::move(remarks); // of a run that is thrown away none stay
      remark("the null arm (the same code on both sides) differed from itself: measured once more");
      x_report.rows.clear();
      x_seed++; // the same order would be hit by the same accident
      x_progress.set_title("check again");
      measure_once();
      if (x_null->judge_last(x_options.alpha))
        distrust();
    }
    append(x_null->rows());
  }

  void distrust()
  {
    remark("the null arm differed from itself twice: this host cannot tell what changed");
    for (Row &row : x_report.rows)
      if (row.method == "ab" && row.gated)
        found(row, "null-arm", "so did the same code on both sides");
  }

  void measure_once()
  {
    auto bench = make_interleave(x_commands);
    std::vector<Task *> tasks;
    for (Group &group : x_groups)
      for (Task &task : group.tasks)
        if (!task.targets.empty() && group.settings.incomparable.empty())
          tasks.push_back(&task);
    if (tasks.empty())
      return judge_stored();
    for (Task *task : tasks)
      task->units = x_options.units;
    bench->measure(with_null(tasks));
    x_report.skipped = why_all_skipped(tasks);
    if (!x_report.skipped.empty())
      return;
    judge_stored();
    judge_interleaved(*bench);
  }

  // Only what is measured in turns has a use for the null arm.
  std::vector<Task *> with_null(std::vector<Task *> tasks)
  {
    auto in_turns = [](const Task *task) { return task->targets.size() > 1; };
    if (std::any_of(tasks.begin(), tasks.end(), in_turns))
      for (Task *each : x_null->tasks(x_options.units))
        tasks.push_back(each);
    return tasks;
  }

  // The two sides of a group as results. only: these benchmarks; null for all.
  static std::vector<Candidate> match(Group &group, const std::set<std::string> *only)
  {
    Result base, comp;
    base.tool = group.recording->result.tool;
    for (size_t i = 0; i < group.tasks.size(); i++) {
      const Task &task = group.tasks[i];
      if (only && !only->count(result::benchmark_key(group.comp[i])))
        continue;
      base.benchmarks.push_back(group.base[i]);
      comp.benchmarks.push_back(group.comp[i]);
      if (group.interleaved() && task.targets.empty())
        fail(base.benchmarks.back(), "the recorded executable does not list it any more");
      if (task.sides.empty())
        continue;
      put_samples(comp.benchmarks.back(), task.sides.back());
      if (!group.interleaved())
        continue;
      put_samples(base.benchmarks.back(), task.sides.front());
      std::vector<bool> comp_second = task.second_first;
      comp_second.flip();
      group.settings.comp_second[result::benchmark_key(comp.benchmarks.back())] = comp_second;
    }
    return match_rows(base, comp, group.settings);
  }

  static void fail(Benchmark &benchmark, const std::string &reason)
  {
    benchmark.status = Status::Failed;
    benchmark.reason = reason;
  }

  void append(std::vector<Row> rows)
  {
    std::move(rows.begin(), rows.end(), std::back_inserter(x_report.rows));
  }

  // Of all groups of one kind. only: as match().
  std::vector<Candidate> match_all(bool interleaved, const std::set<std::string> *only = nullptr)
  {
    std::vector<Candidate> all;
    for (Group &group : x_groups)
      if (group.interleaved() == interleaved)
        for (Candidate &candidate : match(group, only))
          all.push_back(std::move(candidate));
    return all;
  }

  void append_judged(std::vector<Candidate> judged)
  {
    std::vector<Row> rows = rows_of(std::move(judged));
    remark(find_host_shift(rows));
    append(std::move(rows));
  }

  // The family-wise alpha is shared between stored and interleaved rows by their numbers.
  double alpha_of(bool interleaved) const
  {
    size_t own = 0, all = 0;
    for (const Group &group : x_groups) {
      all += group.tasks.size();
      own += group.interleaved() == interleaved ? group.tasks.size() : 0;
    }
    return x_options.alpha * own / std::max<size_t>(1, all);
  }

  void judge_stored()
  {
    std::vector<Candidate> family = match_all(false);
    if (!family.empty())
      remark(use_history(family, RunHistory(x_store, x_baseline_class),
                         new_run(figures(false), x_bench_hash, x_against),
                         x_options.stored_rule()));
    judge(family, alpha_of(false), x_options.alpha);
    append_judged(std::move(family));
  }

  void judge_interleaved(Interleave &bench)
  {
    std::vector<Candidate> first = match_all(true);
    judge_in_two_looks(first, alpha_of(true), x_options.alpha,
                       [&](const auto &again) { return look_again(bench, again); });
    append_judged(std::move(first));
  }

  std::vector<Candidate> look_again(Interleave &bench, const std::map<std::string, size_t> &again)
  {
    std::vector<Task *> tasks;
    std::set<std::string> keys;
    for (Group &group : x_groups)
      for (size_t i = 0; group.interleaved() && i < group.tasks.size(); i++)
        if (auto wanted = again.find(result::benchmark_key(group.comp[i])); wanted != again.end()) {
          group.tasks[i].units =
              second_units(wanted->second, x_options.units, x_options.max_units - x_options.units);
          tasks.push_back(&group.tasks[i]);
          keys.insert(wanted->first);
        }
    x_progress.set_title("confirm");
    bench.measure(with_null(tasks));
    for (Group &group : x_groups)
      group.settings.planned_units = 0;
    return match_all(true, &keys);
  }

  // What comp's side gave at the last look, of what was measured in this way.
  Result figures(bool interleaved) const
  {
    Result result = x_comp;
    result.started = x_report.started;
    std::map<std::string, const SideFigures *> measured;
    for (const Group &group : x_groups)
      for (size_t i = 0; group.interleaved() == interleaved && i < group.tasks.size(); i++)
        if (!group.tasks[i].sides.empty())
          measured[result::benchmark_key(group.comp[i])] = &group.tasks[i].sides.back();
    std::erase_if(result.benchmarks, [&](const Benchmark &benchmark) {
      return !measured.count(result::benchmark_key(benchmark));
    });
    for (Benchmark &benchmark : result.benchmarks)
      put_samples(benchmark, *measured.at(result::benchmark_key(benchmark)));
    return result;
  }

  // What only one side has.
  void judge_rest()
  {
    Result base, comp;
    Settings settings;
    settings.expected = x_expected;
    for (const Recording &recording : x_baseline.recordings) {
      base.tool = recording.result.tool;
      for (const Benchmark &benchmark : recording.result.benchmarks)
        if (!x_paired.count(result::benchmark_key(benchmark)))
          base.benchmarks.push_back(benchmark);
    }
    for (const Benchmark &benchmark : x_comp.benchmarks)
      if (!x_paired.count(result::benchmark_key(benchmark)))
        comp.benchmarks.push_back(benchmark);
    std::vector<Candidate> rest = match_rows(base, comp, settings);
    for (Candidate &candidate : rest)
      hint_parameters(x_baseline, candidate.row);
    append(rows_of(std::move(rest)));
  }

  const Options &x_options;
  uint64_t x_seed; // of the present try
  const Recording *x_against;
  Store x_store;
  Progress x_progress;
  Report x_report;
  std::string x_executable; // its bytes
  std::string x_bench_hash;
  std::string x_class;
  std::string x_baseline_class;
  std::vector<Command> x_commands; // 0: comp, then one for each group that is interleaved
  Result x_comp;                   // its list
  Baseline x_baseline;
  std::set<std::string> x_expected; // keys that the same selection recorded
  std::set<std::string> x_paired;   // keys that both sides have
  std::vector<Group> x_groups;
  std::unique_ptr<NullArm> x_null;
};

} // namespace

Report check_against(const Options &options, const Recording &against)
{
  return std::move(Check(options, &against).run());
}

// Measures the anchor's executable beside the current one, or compares with its figures.
static void check_drift(const Options &options, Report &report)
{
  Store store(options.store);
  Anchor anchor = find_anchor(store, options.anchor);
  Options own = options;
  own.tolerance = *options.drift_budget;
  own.since_anchor = true;
  if (own.stored_tolerance)
    own.stored_tolerance = options.drift_budget;
  Report since = check_against(own, store.recording(anchor.run));
  report.remarks.push_back(add_drift(report.rows, since.rows,
                                     fmt::format("anchor '{}' (run {})", anchor.name, anchor.run),
                                     *options.drift_budget));
}

int check(const Options &options)
{
  // Before anything is measured: what is asked for must be there.
  read_waivers(waivers_path(options));
  if (options.drift_budget)
    find_anchor(Store(options.store), options.anchor);
  Options own = options;
  // Both families, against the baseline and against the anchor, share the chance of a false alarm.
  if (options.drift_budget)
    own.alpha /= 2;
  Check check(own);
  Report &report = check.run();
  report.alpha = options.alpha;
  hint_renames(report.rows);
  apply_selftest(report, options, check.machine());
  apply_waivers(report, options);
  if (options.drift_budget && report.skipped.empty())
    check_drift(own, report);
  check.keep();
  return finish(report, options);
}

Report check_itself(const Options &options) { return Check(options).run(); }

} // namespace gate
