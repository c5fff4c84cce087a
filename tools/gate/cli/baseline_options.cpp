// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/cli/baseline_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tools/gate/cli/options.h"
#include "tools/gate/history/waivers.h"
#include "tools/lib/json.h"

namespace gate
{

// A subcommand of gate baseline.
static CLI::App *add_action(CLI::App &baseline, Options &options, const char *name,
                            const char *description)
{
  CLI::App *action = baseline.add_subcommand(name, description);
  action->add_option("--store", options.store, "of baselines (~/.local/state/bpfgate)");
  action->callback([&options, name] { options.baseline.action = name; });
  return action;
}

static void add_waivers(CLI::App &action, Options &options)
{
  action.add_option("--waivers", options.waivers, "file of waivers (waivers.json in the store)");
}

static void add_json(CLI::App &action, Options &options, const char *description)
{
  action.add_option("--json", options.json, description);
}

static void add_waive(CLI::App &baseline, Options &options)
{
  BaselineOptions &own = options.baseline;
  CLI::App *waive =
      add_action(baseline, options, "waive", "answer for a row that regressed, until a day");
  waive->add_option("ROW", own.row, "NAME [PARAMETER=VALUE...] [METRIC]")->required();
  waive->add_option("--owner", own.owner, "who answers for it")->required();
  waive->add_option("--reason", own.reason, "why it is accepted for now")->required();
  waive->add_option("--until", own.until, "the last day that it holds, 2026-12-31 (UTC)")
      ->required();
  waive
      ->add_option_function<std::string>(
          "--bound",
          [&own](const std::string &text) { own.bound_pct = 100 * parse_percent("--bound", text); },
          "how much worse than its base the row may be, percent")
      ->required();
  add_waivers(*waive, options);
}

CLI::App *add_baseline(CLI::App &app, Options &options)
{
  BaselineOptions &own = options.baseline;
  CLI::App *baseline = app.add_subcommand("baseline", "baselines, history, anchors and waivers");
  baseline->require_subcommand(1);
  CLI::App *list = add_action(*baseline, options, "list", "all baselines, anchors and waivers");
  add_waivers(*list, options);
  add_json(*list, options, "write the list to FILE (docs/gate-json.md)");
  CLI::App *show = add_action(*baseline, options, "show", "one baseline or one run");
  show->add_option("KEY", own.key, "of gate baseline list, or the number of a run")->required();
  add_waivers(*show, options);
  add_json(*show, options, "write it to FILE (docs/gate-json.md)");
  CLI::App *accept = add_action(*baseline, options, "accept", "make a run the baseline");
  accept->add_option("RESULT", own.result, "the number of a run, or a result file")->required();
  accept->add_option("--reason", own.reason, "why, for the history");
  CLI::App *anchor = add_action(*baseline, options, "anchor",
                                "mark a run, a release say, for --drift-budget to count from");
  anchor->add_option("NAME", own.name)->required();
  anchor->add_option("KEY", own.key,
                     "of a baseline, or the number of a run (the baseline, if there is one)");
  add_waive(*baseline, options);
  CLI::App *expire =
      add_action(*baseline, options, "expire", "drop waivers that ended and old history");
  expire->add_option("KEY", own.dropped, "a baseline to forget; no baseline goes without its name");
  expire->add_option("--runs", own.keep_runs, "runs to keep of a series (1000)");
  expire->add_option("--full", own.keep_full, "runs to keep with samples and executable (10)");
  add_waivers(*expire, options);
  return baseline;
}

CLI::App *add_trend(CLI::App &app, Options &options)
{
  TrendQuery &own = options.trend;
  CLI::App *trend = app.add_subcommand("trend", "where the level of a row changed for good");
  trend->add_option("ROW", own.rows, "NAME [PARAMETER=VALUE...] [METRIC], quoted (all)");
  trend->add_option("--import", own.import, "result files, oldest first, instead of the store");
  trend->add_flag("--all", own.all, "also runs that were not accepted");
  trend->add_flag("--confirm", options.confirm,
                  "measure the runs on both sides of each change again, interleaved");
  trend->add_option("--store", options.store, "of baselines (~/.local/state/bpfgate)");
  add_json(*trend, options, "write the series to FILE (docs/gate-json.md)");
  return trend;
}

CLI::App *add_fingerprint(CLI::App &app, Options &options)
{
  CLI::App *fingerprint = app.add_subcommand(
      "fingerprint",
      "this machine: what must be equal to compare, what is reported, what is only kept");
  add_json(*fingerprint, options, "write it to FILE");
  return fingerprint;
}

void check_baseline(Options &options)
{
  BaselineOptions &own = options.baseline;
  if (own.action == "waive" && !is_day(own.until))
    throw usage_error(fmt::format("--until: '{}' is no day like 2026-12-31", own.until));
  for (const auto &[name, text] : {std::pair("--owner", &own.owner), {"--reason", &own.reason}})
    if (own.action == "waive" && text->empty())
      throw usage_error(fmt::format("{}: it must say something", name));
  if (options.confirm && !options.trend.import.empty())
    throw usage_error("--confirm: files have no executables to measure again");
}

} // namespace gate
