// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How often gate trend and stored predictions raise false alarms, and what they find: tables for
// docs/measurements.md. On made-up series, and on result files of runs of the same code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>

#include "tools/gate/history/prediction.h"
#include "tools/gate/history/stored_times.h"
#include "tools/gate/research/calibrate/blocks.h"
#include "tools/gate/research/calibrate/series.h"
#include "tools/gate/statistics/change_points.h"
#include "tools/gate/statistics/statistics.h"

namespace gate
{

using Values = std::vector<double>;
using result::Result;

static constexpr double alpha = 0.01;

static double percent_of(size_t series, const std::function<bool(uint64_t)> &hit)
{
  size_t hits = 0;
  for (uint64_t i = 0; i < series; i++)
    hits += hit(i);
  return 100.0 * static_cast<double>(hits) / static_cast<double>(series);
}

static void false_alarms(size_t series)
{
  fmt::print("| series without a change | points | gate trend | permuted blocks |\n"
             "| --- | --- | --- | --- |\n");
  for (NoiseKind kind : noise_kinds)
    for (size_t points : {20, 50, 100, 200}) {
      NoiseSource noise(kind, points), same(kind, points);
      double own = percent_of(series, [&](uint64_t seed) {
        return change_p_value(noise.series(points), alpha, seed) <= alpha;
      });
      double blocks = percent_of(series / 4, [&](uint64_t seed) {
        return block_p_value(same.series(points), seed) <= alpha;
      });
      fmt::print("| {} | {} | {:.2f} % | {:.1f} % |\n", to_string(kind), points, own, blocks);
      fflush(stdout);
    }
}

// What gate trend finds where points [first, last) are that many sigmas higher.
static double found(NoiseKind kind, size_t points, size_t first, size_t last, double sigmas,
                    size_t series)
{
  NoiseSource noise(kind, points);
  return percent_of(series, [&](uint64_t seed) {
    Values values = noise.series(points);
    for (size_t i = first; i < last; i++)
      values[i] += sigmas;
    return change_p_value(values, alpha, seed) <= alpha;
  });
}

static void power(size_t series)
{
  struct Place {
    const char *name;
    size_t points, first, last;
  };
  static constexpr Place places[] = {
      {"20 of 40, last half", 40, 20, 40},           {"10 of 40, at the end", 40, 30, 40},
      {"50 of 100, last half", 100, 50, 100},        {"10 of 100, at the end", 100, 90, 100},
      {"6 of 100, at the end", 100, 94, 100},        {"25 of 100, and back", 100, 40, 65},
      {"1 of 100, a spike (no change)", 100, 60, 61}};
  fmt::print("| noise | higher points | 1 sigma | 1.5 | 2 | 3 | 6 |\n"
             "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (NoiseKind kind : {NoiseKind::Normal, NoiseKind::Spiky, NoiseKind::Dependent})
    for (const Place &place : places) {
      fmt::print("| {} | {} |", to_string(kind), place.name);
      for (double sigmas : {1.0, 1.5, 2.0, 3.0, 6.0})
        fmt::print(" {:.0f} % |",
                   found(kind, place.points, place.first, place.last, sigmas, series));
      fmt::print("\n");
      fflush(stdout);
    }
}

// Of the changes that are found at all, how many intervals hold the true place.
static void location(size_t series)
{
  fmt::print("| noise | step | found | interval holds the place | median width |\n"
             "| --- | --- | --- | --- | --- |\n");
  for (NoiseKind kind : {NoiseKind::Normal, NoiseKind::Spiky, NoiseKind::Dependent})
    for (double sigmas : {1.0, 2.0, 3.0}) {
      NoiseSource noise(kind, 7);
      size_t holds = 0;
      Values widths;
      for (uint64_t seed = 0; seed < series; seed++) {
        Values values = noise.series(100);
        for (size_t i = 60; i < 100; i++)
          values[i] += sigmas;
        Levels levels = find_levels(values, alpha, seed);
        if (levels.changes.size() != 1)
          continue;
        const Change &change = levels.changes[0];
        holds += change.earliest <= 60 && 60 <= change.latest;
        widths.push_back(static_cast<double>(change.latest - change.earliest + 1));
      }
      double count = static_cast<double>(widths.size());
      fmt::print("| {} | {:g} sigma | {:.0f} % | {:.1f} % | {:g} points |\n", to_string(kind),
                 sigmas, 100 * count / static_cast<double>(series),
                 100 * static_cast<double>(holds) / count, median(widths));
      fflush(stdout);
    }
}

// One row with that history and nothing else.
static RunHistory history_of(const Values &logs)
{
  std::vector<RunHistory::Point> points;
  for (double log : logs)
    points.push_back({.log = log,
                      .run = static_cast<int64_t>(points.size()),
                      .code = "r" + std::to_string(points.size()),
                      .unit = "ns/op"});
  return RunHistory(
      std::map<RowName, std::vector<RunHistory::Point>>{{{"row", "latency"}, points}});
}

static void predictions(size_t series)
{
  fmt::print("| runs of the same code | in the history | next run called worse |\n"
             "| --- | --- | --- |\n");
  const RowName row = {"row", "latency"};
  for (NoiseKind kind : noise_kinds)
    for (size_t runs : {8, 12, 30}) {
      NoiseSource noise(kind, runs);
      double worse = percent_of(series, [&](uint64_t) {
        Values logs = noise.series(runs + 1);
        for (double &log : logs)
          log *= 0.02;
        NewRun run = {.logs = {{row, logs.back()}}, .definitions = {{row, 1}}, .code = "new"};
        logs.pop_back();
        size_t usable = 0;
        auto prediction = predict(history_of(logs), row, run, usable);
        return prediction &&
               predicted_evidence(*prediction, run.logs.at(row), 0, result::Better::Lower)
                       ->p_worse() <= alpha;
      });
      fmt::print("| {} | {} | {:.2f} % |\n", to_string(kind), runs, worse);
      fflush(stdout);
    }
}

// Everything but one run, as the history of that one.
static RunHistory history_without(const std::vector<Result> &runs, size_t left_out)
{
  std::map<RowName, std::vector<RunHistory::Point>> rows;
  for (size_t i = 0; i < runs.size(); i++)
    if (i != left_out)
      for (const auto &[name, log] : new_run(runs[i], "", nullptr).logs)
        rows[name].push_back({.log = log,
                              .run = static_cast<int64_t>(i),
                              .code = "r" + std::to_string(i),
                              .unit = "ns/op"});
  return RunHistory(std::move(rows));
}

static void fixed_tolerance(const std::vector<Result> &runs)
{
  size_t pairs = 0, alarms = 0;
  for (const Result &base : runs)
    for (const Result &comp : runs) {
      if (&base == &comp)
        continue;
      auto before = new_run(base, "", nullptr).logs, after = new_run(comp, "", nullptr).logs;
      pairs++;
      alarms += std::any_of(before.begin(), before.end(), [&](const auto &row) {
        return after.count(row.first) && after.at(row.first) - row.second > std::log(1.25);
      });
    }
  fmt::print("{} files of the same code, {} ordered pairs: {:.0f} % have a time that is more than "
             "25 % slower\n",
             runs.size(), pairs, 100.0 * static_cast<double>(alarms) / static_cast<double>(pairs));
}

static std::string short_name(const RowName &row)
{
  return row.first.substr(0, row.first.find('{'));
}

static void recorded(const std::vector<Result> &runs)
{
  fixed_tolerance(runs);
  std::map<RowName, Values> widths;
  size_t alarms = 0, judged = 0;
  for (size_t i = 0; i < runs.size(); i++) {
    RunHistory history = history_without(runs, i);
    NewRun run = new_run(runs[i], "", nullptr);
    std::vector<double> p;
    for (const auto &[name, log] : run.logs) {
      size_t usable = 0;
      auto prediction = predict(history, name, run, usable);
      if (!prediction)
        continue;
      p.push_back(predicted_evidence(*prediction, log, 0, result::Better::Lower)->p_worse());
      widths[name].push_back(prediction->half_width(alpha));
    }
    std::vector<Holm> verdicts = holm(p, alpha);
    judged++;
    alarms +=
        std::any_of(verdicts.begin(), verdicts.end(), [](const Holm &h) { return h.rejected; });
  }
  fmt::print("each against the {} others, tolerance 0, alpha 1 % for all rows: {} of {} runs have "
             "a regression\n\n| row | prediction interval |\n| --- | --- |\n",
             runs.size() - 1, alarms, judged);
  for (const auto &[name, all] : widths)
    fmt::print("| {} | +-{:.1f} % |\n", short_name(name), 100 * median(all));
}

static int run(int argc, const char *const *argv)
{
  size_t series = 2000;
  std::vector<std::string> files;
  CLI::App app("Tables of the false alarms and the power of gate trend and of stored predictions.",
               "history_calibration");
  app.add_option("--series", series, "made-up series for each figure (2000)")
      ->check(CLI::Range(100, 1000000));
  app.add_option("FILES", files, "instead: result files of runs of the same code");
  CLI11_PARSE(app, argc, argv);
  std::vector<Result> runs;
  for (const std::string &file : files)
    runs.push_back(result::read_result(file));
  if (!runs.empty()) {
    recorded(runs);
    return 0;
  }
  for (auto table : {false_alarms, power, location, predictions}) {
    table(table == power || table == location ? series / 4 : series);
    fmt::print("\n");
  }
  return 0;
}

} // namespace gate

int main(int argc, char **argv)
{
  try {
    return gate::run(argc, argv);
  } catch (const std::exception &failure) {
    fmt::print(stderr, "history_calibration: {}\n", failure.what());
    return 2;
  }
}
