// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate baseline list and show: what is in the store, for people and as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/commands/baseline.h"
#include "tools/gate/commands/commands.h"
#include "tools/gate/history/prediction.h"
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
    value["waivers"].push_back(to_value(waiver));
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
    if (run.series == series)
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

namespace
{

// What one more run of the same code would be held against.
struct Outlook {
  std::optional<Prediction> prediction;
  size_t usable_runs = 0;
};

} // namespace

static Outlook outlook(const RunHistory &history, const Run &run, const HistoryRow &row)
{
  Outlook outlook;
  RowName name = {row.key, row.metric};
  NewRun next = {.logs = {},
                 .definitions = {{name, row.definition}},
                 .code = code_identity(run.revision, run.artefact)};
  if (row.gated && row.kind == result::Class::Time)
    outlook.prediction = predict(history, name, next, outlook.usable_runs);
  return outlook;
}

static json row_json(const HistoryRow &row, const Outlook &outlook, double alpha)
{
  return {
      {"name", row.name},
      {"parameters", row.parameters},
      {"metric", row.metric},
      {"unit", row.unit},
      {"gated", row.gated},
      {"center", row.center},
      {"spread", row.spread},
      {"loads", row.loads},
      {"accepted_runs", outlook.usable_runs},
      {"prediction", outlook.prediction ? json(outlook.prediction->half_width(alpha)) : json()}};
}

static std::vector<std::string> row_line(const HistoryRow &row, const Outlook &outlook,
                                         double alpha)
{
  std::string next = "-";
  if (outlook.prediction)
    next = fmt::format("+-{:.1f} % from {} runs", 100 * outlook.prediction->half_width(alpha),
                       outlook.prediction->runs);
  else if (row.kind == result::Class::Time)
    next = fmt::format("{} of {} runs", outlook.usable_runs, fewest_runs);
  return {row_text(row.name, row.parameters, row.metric),
          format_figure(row.center, row.unit),
          format_figure(row.spread, ""),
          std::to_string(row.loads),
          row.verdict.empty() ? "-" : row.verdict,
          next};
}

// head, foot: text around the run's own lines and its table.
static void show(const Store &store, const Run &run, const std::vector<HistoryRow> &rows,
                 const Options &options, const std::string &head, const std::string &foot)
{
  RunHistory history(store, run.series.class_name);
  json value = header_json("bpfgate-baseline-run");
  value.update(run_json(run));
  value["fingerprint"] = fingerprint_json(run.environment);
  value["rows"] = json::array();
  std::vector<std::vector<std::string>> lines = {
      {"row", "median", "spread of loads", "loads", "verdict", "one more run"}};
  for (const HistoryRow &row : rows) {
    Outlook next = outlook(history, run, row);
    value["rows"].push_back(row_json(row, next, options.alpha));
    if (row.gated)
      lines.push_back(row_line(row, next, options.alpha));
  }
  if (!options.json.empty())
    write_json(options.json, value);
  if (options.json != "-")
    write_file("-", head + run_line(run) + executable_line(store, run.artefact) +
                        format_fingerprint(run.environment) + in_columns(lines) + foot);
}

int baseline_show(const Options &options)
{
  Store store(options.store);
  if (auto number = run_number(options.baseline.key)) {
    show(store, store.run(*number), store.rows(*number), options, "", "");
    return Exit::Passed;
  }
  InForce found = find_baseline(store, options.baseline.key);
  const Series &series = found.run.series;
  std::vector<HistoryRow> rows;
  for (const Recording &recording : found.recordings)
    for (HistoryRow &row : history_rows(recording.result, {}))
      rows.push_back(std::move(row));
  show(store, found.run, rows, options,
       fmt::format("key: {}\nsuite: {}\nmachine class: {}\n", series.key(), suite_shown(series),
                   series.class_name),
       format_waivers(read_waivers(waivers_path(options))) + history_lines(store.runs(), series));
  return Exit::Passed;
}

} // namespace gate
