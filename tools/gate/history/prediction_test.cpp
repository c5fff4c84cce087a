// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/prediction.h"

#include <cmath>
#include <random>

#include "tools/gate/history/stored_times.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;

namespace
{

struct HistoryOf {
  // One run with these times of "a", "b", ...
  int64_t add(const std::vector<double> &times, Run run = {})
  {
    run.series = {"c", {"all"}};
    run.accepted = !run.reason.starts_with("no");
    return store.keep(run, "", result(times), {}, false).run;
  }

  static result::Result result(const std::vector<double> &times,
                               const std::string &revision = "new")
  {
    result::Result result = one_result({});
    char name = 'a';
    for (double time : times)
      result.benchmarks.push_back(one_benchmark(std::string(1, name++), time_metric({{time}})));
    result.tool.revision = revision;
    return result;
  }

  std::optional<Prediction> of(const std::vector<double> &times, size_t &usable,
                               const std::string &revision = "new") const
  {
    result::Result now = result(times, revision);
    return predict(RunHistory(store, "c"), {result::benchmark_key(now.benchmarks[0]), "latency"},
                   new_run(now, "", nullptr), usable);
  }

  Prediction known(const std::vector<double> &times, const std::string &revision = "new") const
  {
    size_t usable = 0;
    return of(times, usable, revision).value();
  }

  TemporaryDirectory here;
  Store store = Store(here.path());
};

} // namespace

TEST(prediction_needs_eight_accepted_runs_measured_alone)
{
  HistoryOf history;
  size_t usable = 0;
  for (int i = 0; i < 7; i++)
    history.add({100.0 + i});
  history.add({500}, {.reason = "no: regressed"});
  history.add({500}, {.how = How::Interleaved});
  expect(!history.of({100}, usable));
  expect_eq(usable, 7u);
  history.add({107});
  Prediction prediction = history.of({100}, usable).value();
  expect_eq(usable, 8u);
  expect_near(std::exp(prediction.center), 103.5, .1);
}

TEST(prediction_interval_has_the_width_of_the_textbook)
{
  // Of values -1, 1, -1, 1, ... left out in turn.
  HistoryOf history;
  for (int i = 0; i < 8; i++)
    history.add({std::exp(i % 2 ? .01 : -.01)});
  Prediction prediction = history.known({1});
  expect_near(prediction.center, 0, 1e-12);
  // Each is off by 0.02, less the share of a centre of seven runs.
  expect_near(prediction.sigma, .02 / std::sqrt(1 + 1.0 / 7), 1e-9);
  expect_near(prediction.half_width(.025),
              std::expm1(2.36462 * prediction.sigma * std::sqrt(9 / 8.)), 1e-6);
}

TEST(prediction_input_33_a_regressed_run_moves_nothing)
{
  HistoryOf history;
  for (int i = 0; i < 10; i++)
    history.add({100.0 + i % 2});
  Prediction before = history.known({100});
  for (int i = 0; i < 10; i++)
    history.add({150}, {.reason = "no: regressed"});
  Prediction after = history.known({100});
  expect_near(after.center, before.center, 0);
  expect_near(after.sigma, before.sigma, 0);
}

TEST(prediction_input_35_runs_of_the_same_code_tell_noise_but_no_level)
{
  HistoryOf history;
  for (int i = 0; i < 8; i++)
    history.add({100.0 + i % 2}, {.revision = "old"});
  for (int i = 0; i < 3; i++)
    history.add({104.0 + i}, {.revision = "new"});
  expect_near(std::exp(history.known({105}).center), 100.5, .1);
  expect_eq(history.known({105}).runs, 11u);
  expect_near(std::exp(history.known({105}, "third").center), 101, .1);
}

TEST(prediction_input_48_an_accepted_step_is_a_new_level_with_the_old_noise)
{
  HistoryOf history;
  Noise noise(1);
  for (int i = 0; i < 12; i++)
    history.add({100 * std::exp(.01 * noise())});
  double sigma = history.known({100}).sigma;
  history.add({150}, {.new_level = true});
  Prediction prediction = history.known({150});
  expect_near(std::exp(prediction.center), 150, .1);
  expect_near(prediction.sigma, sigma, .2 * sigma);
  expect_eq(prediction.at_center, 1u);
  expect_eq(prediction.freedom, 11u);
}

TEST(prediction_input_47_a_spike_widens_and_raises_no_alarm)
{
  HistoryOf history;
  for (int i = 0; i < 20; i++)
    history.add({i == 10 ? 160 : 100.0 + i % 2});
  Prediction prediction = history.known({100});
  expect_near(std::exp(prediction.center), 100.5, .6);
  expect(prediction.sigma > .08);
}

// What moves along may be the same patch: no row is steadied by another.
TEST(prediction_two_rows_slowed_alike_are_not_proven_unchanged)
{
  HistoryOf history;
  Noise noise(2);
  for (int i = 0; i < 15; i++) {
    double host = .1 * noise();
    history.add({100 * std::exp(host + .005 * noise()), 10 * std::exp(host + .005 * noise())});
  }
  Prediction prediction = history.known({115, 11.5});
  expect(prediction.sigma > .05);
  auto evidence = predicted_evidence(prediction, std::log(115), .05, result::Better::Lower);
  expect(evidence->p_not_worse() > .01, fmt::format("{}", evidence->p_not_worse()));
}

TEST(prediction_another_definition_is_another_row)
{
  HistoryOf history;
  for (int i = 0; i < 9; i++)
    history.add({100});
  result::Result now = HistoryOf::result({100});
  now.benchmarks[0].definition = 2;
  size_t usable = 9;
  expect(!predict(RunHistory(history.store, "c"),
                  {result::benchmark_key(now.benchmarks[0]), "latency"}, new_run(now, "", nullptr),
                  usable));
  expect_eq(usable, 0u);
}

TEST(prediction_false_alarms_are_no_more_than_alpha)
{
  // 2000 runs against ten each at 1 %: more than 34 have a probability of 0.1 %.
  Noise noise(3);
  size_t alarms = 0;
  for (int trial = 0; trial < 2000; trial++) {
    // The same arithmetic as predict() without a store: sigma and centre of ten runs.
    std::vector<double> values;
    for (int i = 0; i < 10; i++)
      values.push_back(noise());
    std::sort(values.begin(), values.end());
    double squares = 0;
    for (size_t i = 0; i < values.size(); i++) {
      std::vector<double> rest = values;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      double error = values[i] - rest[4];
      squares += error * error / (1 + 1.0 / 9);
    }
    Prediction prediction = {.center = (values[4] + values[5]) / 2,
                             .sigma = std::sqrt(squares / 10),
                             .runs = 10,
                             .freedom = 9,
                             .at_center = 10};
    alarms += predicted_evidence(prediction, noise(), 0, result::Better::Lower)->p_worse() <= .01;
  }
  expect(alarms <= 34, fmt::format("{}", alarms));
}

TEST(prediction_evidence_is_symmetric)
{
  Prediction prediction = {.sigma = .02, .runs = 10, .freedom = 9, .at_center = 10};
  auto lower = predicted_evidence(prediction, .1, .05, result::Better::Lower);
  auto higher = predicted_evidence(prediction, -.1, .05, result::Better::Higher);
  expect_near(lower->p_worse(), higher->p_worse(), 1e-15);
  expect(lower->p_worse() < .05 && lower->p_better() > .9 && lower->p_not_worse() > .9);
  expect_near(lower->change(), std::expm1(.1), 1e-12);
  expect_near(higher->change(), std::expm1(-.1), 1e-12);
  Interval interval = lower->interval(.01);
  expect(interval.low < lower->change() && lower->change() < interval.high);
}
