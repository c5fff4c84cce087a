// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate selftest --aa: whole checks of the recorded bench against itself.
//
// Each check is the one that gate check does, with fresh processes, loads and orders, so it is one
// trial of the very rule that will judge changes; alpha is promised for a check, not for a row.
// Units are never used twice:
// drawing their labels anew would make more trials of the same ones, but of the arithmetic only.
// What could be wrong here is the host, and each trial asks it again.
#include "tools/gate/commands/selftest.h"

#include <fmt/format.h>

#include <filesystem>

#include "tools/gate/commands/commands.h"
#include "tools/gate/history/store.h"
#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/statistics/random_order.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/gate/system/interrupt.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/distributions.h"
#include "tools/lib/environment.h"
#include "tools/lib/json.h"

namespace gate
{

using result::json;

static constexpr double error_of_bound = 0.05;
static constexpr int version = 2;

double upper_bound_of_rate(size_t hits, size_t trials)
{
  if (hits >= trials)
    return 1;
  return distributions::binomial_upper_bound(trials, hits, error_of_bound);
}

bool refutes(const SelfTest &test, double alpha)
{
  return test.alarms > 0 &&
         distributions::binomial_upper_tail(test.trials, alpha, test.alarms - 1) <= error_of_bound;
}

static std::string path_of(const std::string &store, const std::string &class_name)
{
  return fmt::format("{}/reports/selftest-{}.json", store, class_name);
}

static json to_json(const SelfTest &test)
{
  return {{"schema", "bpfgate-selftest"},
          {"version", version},
          {"time", test.time},
          {"trials", test.trials},
          {"alarms", test.alarms},
          {"bound", test.bound},
          {"alpha", test.alpha},
          {"tolerance", test.tolerance},
          {"smallest_effects", test.smallest_effects}};
}

void keep_selftest(const std::string &store, const std::string &class_name, const SelfTest &test)
{
  std::filesystem::create_directories(store + "/reports");
  write_file(path_of(store, class_name), result::json_text(to_json(test), 1) + "\n");
}

std::optional<SelfTest> read_selftest(const std::string &store, const std::string &class_name)
{
  std::string path = path_of(store, class_name);
  if (!std::filesystem::exists(path))
    return std::nullopt;
  json value = result::parse_json(read_file(path), path);
  try {
    if (value.at("version") != version)
      return std::nullopt;
    for (const char *count : {"trials", "alarms"})
      if (!value.at(count).is_number_unsigned())
        throw result::error(fmt::format("{}: damaged: '{}' is no count", path, count));
    return SelfTest{.time = value.at("time").get<std::string>(),
                    .trials = value["trials"].get<size_t>(),
                    .alarms = value["alarms"].get<size_t>(),
                    .bound = value.at("bound").get<double>(),
                    .alpha = value.at("alpha").get<double>(),
                    .tolerance = value.at("tolerance").get<double>()};
  } catch (const json::exception &failure) {
    throw result::error(fmt::format("{}: damaged: {}", path, failure.what()));
  }
}

void apply_selftest(Report &report, const Options &options, const std::string &class_name)
{
  std::optional<SelfTest> test = read_selftest(options.store, class_name);
  if (!test)
    return;
  if (refutes(*test, options.alpha))
    report.untrusted =
        fmt::format("{} of {} checks told a regression in the self-test of {} though nothing had "
                    "changed: more than an alpha of {:g} % explains (gate selftest --aa tests "
                    "again)",
                    test->alarms, test->trials, test->time, 100 * options.alpha);
  else if (options.tolerance < test->tolerance)
    report.remarks.push_back(fmt::format("the self-test of this host was made with a tolerance of "
                                         "{:g} % and says nothing about {:g} %",
                                         100 * test->tolerance, 100 * options.tolerance));
}

namespace
{

class AaTest {
public:
  explicit AaTest(const Options &options)
      : x_options(options), x_store(options.store), x_order(options.seed)
  {
    x_test.alpha = options.alpha;
    x_test.tolerance = options.tolerance;
  }

  int run()
  {
    find_recorded();
    x_test.time = utc_now();
    while (x_test.trials < x_options.trials)
      check_once();
    x_test.bound = upper_bound_of_rate(x_test.alarms, x_test.trials);
    for (auto &[name, effects] : x_effects)
      x_test.smallest_effects[name] = median(effects);
    keep_selftest(x_options.store, x_class, x_test);
    if (!x_options.json.empty())
      write_file(x_options.json, to_json(x_test).dump(1) + "\n");
    if (x_options.json != "-")
      write_file("-", told());
    return refutes(x_test, x_test.alpha) ? Exit::Incomplete : Exit::Passed;
  }

private:
  // What was recorded last on this machine, and the executable of it.
  void find_recorded()
  {
    std::string why =
        fmt::format("no baseline in '{}' for this machine: gate record makes one", x_options.store);
    for (const std::string &name : x_store.classes()) {
      Baseline baseline = x_store.read(name);
      if (baseline.recordings.empty())
        continue;
      const Recording &last = baseline.recordings.back();
      x_artefact = x_store.artefact(last.artefact, why);
      if (x_artefact && class_now(last, why) == name) {
        x_class = name;
        x_options.bench = x_artefact->path();
        x_options.bench_arguments = without_inject(last.arguments);
        x_options.is_selftest = true;
        return;
      }
    }
    throw usage_error(why);
  }

  // The class of the machine that this runs on, as the recorded bench sees it. Empty: it does not
  // run here, as one of another machine may not; then why says so.
  std::string class_now(const Recording &recording, std::string &why) const
  {
    try {
      Interleave bench({{x_artefact->path(), recording.arguments}},
                       {.timeout_ms = x_options.timeout_ms}, 0, nullptr);
      return class_name(list_bench(bench, 0).environment);
    } catch (const interrupted_error &) {
      throw;
    } catch (const std::exception &failure) {
      why = failure.what();
      return "";
    }
  }

  void check_once()
  {
    x_options.seed = x_order.below_2_63();
    Report report = check_itself(x_options);
    if (!report.skipped.empty())
      throw nothing_measurable(report.skipped);
    size_t judged = 0, alarms = 0;
    for (const Row &row : report.rows) {
      if (!row.gated || row.method != "ab")
        continue;
      judged++;
      alarms += row.verdict == Verdict::Regressed;
      if (row.mde && row.kind == result::Class::Time)
        x_effects[row.name + " " + row.parameters.dump()].push_back(*row.mde);
    }
    if (judged == 0)
      throw std::runtime_error("nothing could be measured in turns: is it another kernel than that "
                               "of the recording?");
    x_test.trials++;
    x_test.alarms += alarms > 0;
    fmt::print(stderr, "selftest: {} of {} checks, {} with a false alarm\n", x_test.trials,
               x_options.trials, x_test.alarms);
  }

  std::string told() const
  {
    std::string text;
    for (const auto &[name, effect] : x_test.smallest_effects)
      text += fmt::format("{}: nine of ten checks see {:.1f} %\n", name, 100 * effect);
    text += fmt::format("{} of {} checks of the same code against itself told a regression\n"
                        "at most {:.3g} % do here: that much was shown (exact bound, 95 %); "
                        "declared is {:g} %\n",
                        x_test.alarms, x_test.trials, 100 * x_test.bound, 100 * x_test.alpha);
    return text + fmt::format("gate: selftest={} trials={} alarms={} bound={:.4g} alpha={}\n",
                              refutes(x_test, x_test.alpha) ? "failed" : "passed", x_test.trials,
                              x_test.alarms, x_test.bound, x_test.alpha);
  }

  Options x_options;
  Store x_store;
  RandomOrder x_order;
  SelfTest x_test;
  std::string x_class;
  std::optional<Artefact> x_artefact;
  std::map<std::string, std::vector<double>> x_effects;
};

} // namespace

int selftest(const Options &options) { return AaTest(options).run(); }

} // namespace gate
