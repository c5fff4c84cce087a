// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate baseline list and show: what is in the store, for people and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/gate/commands/baseline.h"
#include "tools/gate/commands/commands.h"
#include "tools/gate/history/stored_times.h"
#include "tools/gate/history/waivers.h"
#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/judge/row_name.h"
#include "tools/gate/report/layout.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/json.h"

namespace gate
{

using result::json;

static std::string suite_shown(const Series &series)
{
  return fmt::format("{}", fmt::join(series.suite, " "));
}

static json number(double value) { return std::isfinite(value) ? json(value) : json(); }

static json run_json(const Run &run)
{
  auto text = [](const std::string &value) { return value.empty() ? json() : json(value); };
  return {{"run", run.id},
          {"key", run.series.key()},
          {"class", run.series.class_name},
          {"suite", run.series.suite},
          {"command", run.command},
          {"interleaved", run.how == How::Interleaved},
          {"time", run.time},
          {"accepted", run.accepted},
          {"reason", run.reason},
          {"artefact", text(run.artefact)},
          {"in_full", run.in_full},
          {"revision", text(run.revision)},
          {"base_revision", text(run.base_revision)},
          {"merge_base", text(run.merge_base)},
          {"kernel", run.environment.find("kernel") ? *run.environment.find("kernel") : Value()}};
}

static json waiver_json(const Waiver &waiver)
{
  return {{"row", waiver.row},
          {"owner", waiver.owner},
          {"reason", waiver.reason},
          {"until", waiver.until},
          {"bound_pct", waiver.bound_pct}};
}

static json header_json(const char *schema) { return {{"schema", schema}, {"version", 1}}; }

static void write_json(const std::string &path, const json &value)
{
  write_file(path, result::json_text(value, 1) + "\n");
}

static void list_json(const Options &options, const Store &store, const std::vector<InForce> &all,
                      const std::vector<Anchor> &anchors, const std::vector<Waiver> &waivers)
{
  json value = header_json("bpfgate-baselines");
  value["baselines"] = json::array();
  for (const InForce &each : all) {
    json own = run_json(each.run);
    own["rows"] = each.rows;
    own["runs"] = each.runs;
    own["accepted_runs"] = each.accepted;
    own["executable_bytes"] = store.artefact_size(each.run.artefact);
    value["baselines"].push_back(own);
  }
  value["anchors"] = json::array();
  for (const Anchor &anchor : anchors)
    value["anchors"].push_back({{"name", anchor.name}, {"run", anchor.run}, {"time", anchor.time}});
  value["waivers"] = json::array();
  for (const Waiver &waiver : waivers)
    value["waivers"].push_back(waiver_json(waiver));
  write_json(options.json, value);
}

static std::string size_shown(uintmax_t bytes)
{
  return bytes ? fmt::format("{:.1f} MiB", bytes / 1048576.0) : "none";
}

static std::string format_list(const Store &store, const std::vector<InForce> &all)
{
  if (all.empty())
    return "no baseline: gate record makes one\n";
  std::vector<std::vector<std::string>> lines = {{"key", "run", "time", "revision", "rows",
                                                  "accepted runs", "executable", "suite",
                                                  "machine class"}};
  for (const InForce &each : all)
    lines.push_back({each.run.series.key(), std::to_string(each.run.id), each.run.time,
                     each.run.revision, std::to_string(each.rows),
                     fmt::format("{} of {}", each.accepted, each.runs),
                     size_shown(store.artefact_size(each.run.artefact)),
                     suite_shown(each.run.series), each.run.series.class_name});
  return in_columns(lines);
}

static std::string format_waivers(const std::vector<Waiver> &waivers)
{
  std::string text;
  for (const Waiver &waiver : waivers)
    text += fmt::format("waived until {} up to {:g} %: {} ({}: {})\n", waiver.until,
                        waiver.bound_pct, waiver.row, waiver.owner, waiver.reason);
  return text;
}

int baseline_list(const Options &options)
{
  Store store(options.store);
  std::vector<InForce> all = baselines_in_force(store);
  std::vector<Anchor> anchors = store.anchors();
  std::vector<Waiver> waivers = read_waivers(waivers_path(options));
  if (!options.json.empty())
    list_json(options, store, all, anchors, waivers);
  if (options.json == "-")
    return Exit::Passed;
  std::string text = format_list(store, all);
  for (const Anchor &anchor : anchors)
    text += fmt::format("anchor '{}': run {} ({})\n", anchor.name, anchor.run, anchor.time);
  write_file("-", text + format_waivers(waivers));
  return Exit::Passed;
}

// How one more run of the present code would be judged.
static std::string prediction_shown(const std::optional<Prediction> &prediction, size_t usable,
                                    double alpha)
{
  if (!prediction)
    return fmt::format("{} of {} runs", usable, fewest_runs);
  return fmt::format("+-{:.1f} % from {} runs", 100 * prediction->half_width(alpha),
                     prediction->runs);
}

static json row_json(const HistoryRow &row)
{
  return {{"name", row.name},
          {"parameters", row.parameters},
          {"metric", row.metric},
          {"unit", row.unit},
          {"gated", row.gated},
          {"center", number(row.center)},
          {"spread", number(row.spread)},
          {"loads", row.loads}};
}

namespace
{

// The rows of one run, with what the history predicts for them.
class Rows {
public:
  Rows(const Store &store, const Recording &recording, const std::string &class_name, double alpha)
      : x_history(store, class_name), x_run(new_run(recording.result, recording.artefact, nullptr)),
        x_alpha(alpha)
  {
    x_rows = history_rows(recording.result, {});
  }

  std::vector<std::vector<std::string>> lines() const
  {
    std::vector<std::vector<std::string>> lines;
    for (const HistoryRow &row : x_rows) {
      if (!row.gated)
        continue;
      size_t usable = 0;
      auto prediction = predicted(row, usable);
      lines.push_back(
          {row_text(row.name, row.parameters, row.metric), format_figure(row.center, row.unit),
           format_figure(row.spread, ""), std::to_string(row.loads),
           row.kind == result::Class::Time ? prediction_shown(prediction, usable, x_alpha) : "-"});
    }
    return lines;
  }

  json as_json() const
  {
    json list = json::array();
    for (const HistoryRow &row : x_rows) {
      size_t usable = 0;
      auto prediction = predicted(row, usable);
      json own = row_json(row);
      own["accepted_runs"] = usable;
      own["prediction"] = prediction ? json(prediction->half_width(x_alpha)) : json();
      list.push_back(own);
    }
    return list;
  }

private:
  std::optional<Prediction> predicted(const HistoryRow &row, size_t &usable) const
  {
    if (!row.gated || row.kind != result::Class::Time)
      return std::nullopt;
    return predict(x_history, {row.key, row.metric}, x_run, usable);
  }

  RunHistory x_history;
  NewRun x_run;
  double x_alpha;
  std::vector<HistoryRow> x_rows;
};

} // namespace

static std::string run_line(const Run &run)
{
  std::string text = fmt::format("run {}: {} {}, {}, {}", run.id, run.command, run.time,
                                 run.accepted ? "accepted" : "not accepted", run.reason);
  if (!run.revision.empty())
    text += ", revision " + run.revision;
  if (!run.base_revision.empty())
    text += ", against " + run.base_revision;
  if (!run.merge_base.empty() && run.merge_base != run.base_revision)
    text += ", common commit " + run.merge_base;
  return text + "\n";
}

static std::string history_lines(const std::vector<Run> &runs, const Series &series)
{
  constexpr size_t most = 20;
  std::vector<std::string> lines;
  for (const Run &run : runs)
    if (run.series.key() == series.key())
      lines.push_back("  " + run_line(run));
  size_t first = lines.size() - std::min(lines.size(), most);
  std::string text =
      first ? fmt::format("history, the newest {} of {}:\n", most, lines.size()) : "history:\n";
  for (size_t i = first; i < lines.size(); i++)
    text += lines[i];
  return text;
}

static std::string executable_line(const Store &store, const std::string &artefact)
{
  std::string why;
  if (artefact.empty())
    return "executable: none, figures only\n";
  bool stored = store.has_artefact(artefact, why);
  return fmt::format("executable: {} ({})\n", artefact.substr(0, 12), stored ? "stored" : why);
}

static void show_recording(const Store &store, const Run &run, const Recording &recording,
                           const std::vector<Run> &history, const Options &options)
{
  Rows rows(store, recording, run.series.class_name, options.alpha);
  std::vector<Waiver> waivers = read_waivers(waivers_path(options));
  if (!options.json.empty()) {
    json value = header_json("bpfgate-baseline-run");
    value.update(run_json(run));
    value["fingerprint"] = fingerprint_json(run.environment);
    value["rows"] = rows.as_json();
    write_json(options.json, value);
  }
  if (options.json == "-")
    return;
  std::vector<std::vector<std::string>> lines = {
      {"row", "median", "spread of loads", "loads", "one more run"}};
  for (auto &line : rows.lines())
    lines.push_back(std::move(line));
  write_file("-", fmt::format("key: {}\nsuite: {}\nmachine class: {}\n{}{}{}{}{}{}",
                              run.series.key(), suite_shown(run.series), run.series.class_name,
                              run_line(run), executable_line(store, run.artefact),
                              format_fingerprint(run.environment), in_columns(lines),
                              format_waivers(waivers), history_lines(history, run.series)));
}

// One run as it was measured; its samples may be gone.
static void show_run(const Run &run, const std::vector<HistoryRow> &rows, const Options &options)
{
  if (!options.json.empty()) {
    json value = header_json("bpfgate-baseline-run");
    value.update(run_json(run));
    value["fingerprint"] = fingerprint_json(run.environment);
    value["rows"] = json::array();
    for (const HistoryRow &row : rows)
      value["rows"].push_back(row_json(row));
    write_json(options.json, value);
  }
  if (options.json == "-")
    return;
  std::vector<std::vector<std::string>> lines = {
      {"row", "median", "spread of loads", "loads", "verdict"}};
  for (const HistoryRow &row : rows)
    if (row.gated)
      lines.push_back({row_text(row.name, row.parameters, row.metric),
                       format_figure(row.center, row.unit), format_figure(row.spread, ""),
                       std::to_string(row.loads), row.verdict.empty() ? "-" : row.verdict});
  write_file("-", run_line(run) + format_fingerprint(run.environment) + in_columns(lines));
}

static Recording joined(std::vector<Recording> recordings)
{
  Recording all = std::move(recordings.back());
  recordings.pop_back();
  for (const Recording &each : recordings)
    all.result.benchmarks.insert(all.result.benchmarks.end(), each.result.benchmarks.begin(),
                                 each.result.benchmarks.end());
  return all;
}

int baseline_show(const Options &options)
{
  Store store(options.store);
  if (auto number = run_number(options.baseline.key)) {
    show_run(store.run(*number), store.rows(*number), options);
    return Exit::Passed;
  }
  InForce found = find_baseline(store, options.baseline.key);
  Run run = found.run;
  show_recording(store, run, joined(std::move(found.recordings)), store.runs(), options);
  return Exit::Passed;
}

} // namespace gate
