// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Baselines, history, waivers, anchors and trends as a user meets them, with made-up benches.
#include <filesystem>

#include "tools/gate/commands/selftest.h"
#include "tools/gate/history/waivers.h"
#include "tools/gate/judge/drift.h"
#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/report/writers/writers.h"
#include "tools/gate/testing/gate_runner.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/json.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
namespace fs = std::filesystem;

static const char *const other_kernel = R"("cpu_model": "A", "cpus": 2, "kernel": "6.2")";

// What the fake bench would have given, measured alone.
static result::Result fake_result(double one, double two)
{
  result::Result result =
      one_result({one_benchmark("one", time_metric(std::vector(20, std::vector{one}))),
                  one_benchmark("two", time_metric(std::vector(20, std::vector{two})))});
  result.environment = {{"cpu_model", "A"}, {"cpus", 2}, {"kernel", "6.1"}};
  return result;
}

static int64_t add_run(const Bench &bench, double one, double two, bool accepted = true)
{
  result::Result result = fake_result(one, two);
  Run run = {.series = {class_name(result.environment), {"--suite", "quick"}},
             .command = "record",
             .time = "2026-01-01T00:00:00Z",
             .accepted = accepted,
             .reason = "made up"};
  return Store(bench.here / "store").keep(run, "", result, {}, false).run;
}

static std::string key_of(Bench &bench)
{
  bench.baseline({"list"});
  size_t line = bench.output.find('\n');
  return bench.output.substr(line + 1, 8);
}

TEST(baseline_list_and_show)
{
  Bench bench;
  expect_code(bench.baseline({"list"}), 0, bench);
  expect_has(bench.output, "no baseline");
  bench.gate({"record"});
  std::string key = key_of(bench);
  expect_has(bench.output, "1 of 1");
  expect_has(bench.output, "--suite quick");
  expect_code(bench.baseline({"show", key.substr(0, 4)}), 0, bench);
  for (const char *part : {"one latency", "50 ns/op", "1 of 8 runs", "run 1: record", "(stored)",
                           "refuse (must be equal", "  cpu_model: A", "  kernel: 6.1"})
    expect_has(bench.output, part);
  expect_code(bench.baseline({"show", "1"}), 0, bench);
  expect_has(bench.output, "run 1: record");
  expect_throws([&] { bench.baseline({"show", "zzzz"}); }, "no baseline 'zzzz'");
  expect_throws([&] { bench.baseline({"show", "77"}); }, "no run 77");
  std::string path = bench.here / "list.json";
  bench.baseline({"list", "--json", path});
  json list = json::parse(read_file(path));
  expect_eq(list["baselines"][0]["key"].get<std::string>(), key);
  bench.baseline({"show", key, "--json", path});
  json shown = json::parse(read_file(path));
  expect_eq(shown["fingerprint"]["refuse"]["cpus"].get<int>(), 2);
  expect_eq(shown["rows"].size(), 4u);
}

TEST(baseline_input_33_a_regressed_run_is_kept_and_accepted_only_by_hand)
{
  Bench bench;
  bench.gate({"record"});
  bench.write({.ns = "$((ops * (n ? 65 : 50)))"});
  expect_code(bench.gate({"check"}), 1, bench);
  expect_has(bench.output, "kept as run 2, not accepted (regressed: two)");
  Run run = Store(bench.here / "store").run(2);
  expect(!run.accepted && run.how == How::Interleaved && run.in_full);
  expect_code(bench.gate({"check"}), 1, bench);
  expect_code(bench.baseline({"accept", "2", "--reason", "checks bounds"}), 0, bench);
  expect_has(bench.output, "run 2 is the baseline, 2 rows replaced");
  expect_code(bench.gate({"check"}), 0, bench);
  expect(Store(bench.here / "store").run(2).new_level);
  bench.baseline({"show", "2"});
  expect_has(bench.output, "accepted, checks bounds");
}

TEST(baseline_accepted_check_is_history_and_no_baseline)
{
  Bench bench;
  bench.gate({"record"});
  expect_code(bench.gate({"check"}), 0, bench);
  Store store(bench.here / "store");
  expect(store.run(2).accepted);
  expect_eq(store.run(2).reason, "checked");
  expect_eq(store.rows(2).size(), 4u);
  expect_eq(store.read(store.run(2).series.class_name).recordings.at(0).run, 1);
  bench.gate({"check", "--inject", "30%"});
  expect_has(bench.output, "not kept in the history: slowed on purpose");
  expect_eq(store.runs().size(), 2u);
}

TEST(baseline_check_on_an_untrusted_host_is_not_accepted)
{
  Bench bench;
  bench.gate({"record"});
  keep_selftest(bench.here / "store", class_name(fake_result(50, 50).environment),
                {.trials = 300, .alarms = 9, .bound = .05});
  expect_code(bench.gate({"check"}), 3, bench);
  expect_has(bench.output, "kept as run 2, not accepted (this host is not trusted");
  expect(!Store(bench.here / "store").run(2).accepted);
}

TEST(baseline_accept_takes_a_file)
{
  Bench bench;
  std::string path = bench.here / "result.json";
  result::write_result(path, fake_result(50, 50));
  expect_code(bench.baseline({"accept", path}), 0, bench);
  expect_code(bench.gate({"check", "--stored-tolerance", "25"}), 0, bench);
  expect_has(bench.output, "executable is gone");
  expect_has(bench.output, "unchanged=2");
  expect_throws([&] { bench.baseline({"accept", bench.here / "none"}); }, "neither");
  write_file(path, "{");
  expect_throws([&] { bench.baseline({"accept", path}); }, "broken JSON");
  expect_throws([&] { bench.baseline({"accept", "99"}); }, "no run 99");
}

TEST(baseline_stored_times_need_a_history)
{
  Bench bench;
  bench.gate({"record"});
  bench.write({.ns = "$((ops * 80))", .environment = other_kernel});
  expect_code(bench.gate({"check"}), 0, bench);
  expect_has(bench.output, "inconclusive=2");
  expect_has(bench.output, "needs 8 accepted runs, has 1");
  expect_code(bench.gate({"check", "--strict"}), 3, bench);
  for (int i = 0; i < 7; i++)
    add_run(bench, 50 + .2 * i, 50 + .2 * i);
  expect_code(bench.gate({"check"}), 1, bench);
  expect_has(bench.output, "regressed=2");
  expect_has(bench.output, "predicted from 8 accepted runs");
  expect_eq(bench.row("one")["method"].get<std::string>(), "prediction");
  bench.write({.environment = other_kernel});
  expect_code(bench.gate({"check"}), 0, bench);
  expect_has(bench.output, "unchanged=2");
}

TEST(baseline_record_does_not_follow_a_regression_without_a_reason)
{
  Bench bench;
  for (int i = 0; i < 9; i++)
    add_run(bench, 50 + .2 * (i % 3), 50 + .2 * (i % 3));
  expect_code(bench.gate({"record"}), 0, bench);
  bench.write({.ns = "$((ops * (n ? 65 : 50)))"});
  expect_code(bench.gate({"record"}), 1, bench);
  expect_has(bench.output, "not the baseline: worse than the baseline: two latency +");
  expect_has(bench.output, "gate: recorded=0");
  expect_code(bench.gate({"record", "--reason", "checks bounds"}), 0, bench);
  // That level is the one to follow now.
  expect_code(bench.gate({"record"}), 0, bench);
}

static void waive(Bench &bench, const std::string &row, const std::string &until,
                  const std::string &bound)
{
  expect_code(bench.baseline({"waive", row, "--owner", "me@here", "--reason", "wait for v2",
                              "--until", until, "--bound", bound}),
              0, bench);
}

TEST(waivers_input_58)
{
  Bench bench;
  bench.gate({"record"});
  bench.write({.ns = "$((ops * (n ? 65 : 50)))"});
  waive(bench, "two", "2999-12-31", "50%");
  expect_has(bench.output, "waived: two latency");
  expect_code(bench.gate({"check"}), 0, bench);
  expect_has(bench.output, "verdict=waived");
  expect_has(bench.output, "waived=1");
  expect_has(bench.output, "regressed, waived by me@here until 2999-12-31 up to 50 %: wait for v2");
  expect_eq(bench.row("two")["waived"]["verdict"].get<std::string>(), "regressed");
  // What was waived is not accepted.
  expect(!Store(bench.here / "store").run(2).accepted);
  waive(bench, "two", "2999-12-31", "10");
  expect_code(bench.gate({"check"}), 1, bench);
  expect_has(bench.output, "beyond the 10 % that me@here waived");
  waive(bench, "two", "2026-01-31", "50");
  expect_code(bench.gate({"check"}), 1, bench);
  expect_has(bench.output, "the waiver of me@here ended on 2026-01-31");
  expect_code(bench.baseline({"expire"}), 0, bench);
  expect_has(bench.output, "waiver ended on 2026-01-31: two (me@here)");
  expect(read_waivers(bench.here / "store/waivers.json").empty());
}

TEST(waivers_cover_what_is_missing)
{
  Bench bench;
  bench.gate({"record"});
  bench.write({.names = "two"});
  expect_code(bench.gate({"check"}), 3, bench);
  waive(bench, "one", "2999-12-31", "0");
  expect_code(bench.gate({"check"}), 0, bench);
  expect_has(bench.output, "missing, waived by me@here");
}

TEST(waivers_that_are_not_needed_are_told)
{
  Bench bench;
  bench.gate({"record"});
  waive(bench, "two", "2999-12-31", "50");
  expect_code(bench.gate({"check"}), 0, bench);
  expect_has(bench.output, "the waiver of me@here for 'two' is not needed");
}

TEST(waivers_in_a_file_of_the_repository)
{
  Bench bench;
  std::string path = bench.here / "waivers.json";
  result::write_result(bench.here / "a.json", fake_result(50, 50));
  result::write_result(bench.here / "b.json", fake_result(50, 65));
  std::string a = bench.here / "a.json", b = bench.here / "b.json";
  expect_throws([&] { bench.gate({"compare", a, b, "--waivers", path}); }, "there is no");
  expect_code(bench.baseline({"waive", "two latency", "--owner", "me", "--reason", "r", "--until",
                              "2999-12-31", "--bound", "50", "--waivers", path}),
              0, bench);
  expect_code(bench.gate({"compare", a, b}), 1, bench);
  expect_code(bench.gate({"compare", a, b, "--waivers", path}), 0, bench);
}

TEST(waivers_damaged_file_is_one_clear_line)
{
  Bench bench;
  std::string path = bench.here / "waivers.json";
  auto broken = [&](const std::string &list, const std::string &message) {
    write_file(path, R"({"schema": "bpfgate-waivers", "version": 1, "waivers": [)" + list + "]}");
    expect_throws([&] { read_waivers(path); }, message);
  };
  std::string good = R"("row": "a", "owner": "o", "reason": "r", "until": "2026-12-31")";
  broken("5", "/waivers/0 is no object");
  broken("{}", "/waivers/0/row is missing");
  broken("{" + good + "}", "/waivers/0/bound_pct");
  broken("{" + good + R"(, "bound_pct": -1})", "/waivers/0/bound_pct");
  broken(R"({"row": "a", "owner": "o", "reason": "r", "until": "2026-02-30"})", "no day");
  write_file(path, "{}");
  expect_throws([&] { read_waivers(path); }, "no waivers");
  write_file(path, R"({"schema": "bpfgate-waivers", "version": 2})");
  expect_throws([&] { read_waivers(path); }, "/version is not 1");
  Bench other;
  other.gate({"record"});
  expect_throws([&] { other.gate({"check", "--waivers", path}); }, "/version is not 1");
}

// No share of nothing is anything.
TEST(waivers_of_a_row_from_zero_allow_no_absolute_change)
{
  Row row = {.name = "b", .metric = "memory", .unit = "MiB", .kind = result::Class::Memory};
  found(row, "worse");
  row.relative = false;
  row.change = 20;
  Report report = {.command = "check", .rows = {row}};
  apply_waivers(report.rows, {{"b", "me", "later", "2999-12-31", 30}}, "2026-01-01");
  expect_eq(exit_code(report), 1);
  expect_has(report.rows[0].note, "beyond the 30 %");
  // Of a ratio the bound is in points.
  report.rows[0] = row;
  report.rows[0].kind = result::Class::Ratio;
  apply_waivers(report.rows, {{"b", "me", "later", "2999-12-31", 30}}, "2026-01-01");
  expect_eq(exit_code(report), 0);
}

TEST(waivers_wrong_options)
{
  Bench bench;
  auto wrong = [&](const std::string &until, const std::string &bound, const std::string &message) {
    expect_throws([&] { waive(bench, "two", until, bound); }, message);
  };
  wrong("tomorrow", "5", "--until");
  wrong("2026-13-01", "5", "--until");
  wrong("2026-12-31", "x", "--bound");
  wrong("2026-12-31", "5", "no row of a baseline is 'two'");
}

TEST(drift_input_33_many_small_steps_add_up)
{
  Bench bench;
  bench.gate({"record"});
  expect_throws([&] { bench.gate({"check", "--drift-budget", "10"}); }, "no anchor");
  expect_code(bench.baseline({"anchor", "v1.0"}), 0, bench);
  expect_has(bench.output, "anchor 'v1.0' is run 1");
  int codes[] = {0, 0, 1};
  int step = 0;
  for (int ns : {52, 54, 56}) {
    bench.write({.ns = fmt::format("$((ops * (n ? {} : 50)))", ns)});
    // Each is within the tolerance of the one before.
    expect_code(bench.gate({"check"}), 0, bench);
    expect_code(bench.gate({"check", "--drift-budget", "10%"}), codes[step++], bench);
    bench.gate({"record"});
  }
  bench.gate({"check", "--drift-budget", "10%"});
  expect_has(bench.output, "drift: +12.0 % since anchor 'v1.0' (run 1), beyond the budget");
  expect_has(bench.output, "most for the worse two +12.0 % (budget 10 %)");
  expect_near(bench.row("two")["drift"]["change"].get<double>(), .12, .001);
  expect_near(bench.row("one")["drift"]["change"].get<double>(), 0, .001);
  // Nobody waives that by waiving the last step.
  waive(bench, "two", "2999-12-31", "50");
  expect_code(bench.gate({"check", "--drift-budget", "10%"}), 1, bench);
  expect_throws([&] { bench.gate({"check", "--drift-budget", "10", "--anchor", "v9"}); }, "'v9'");
}

TEST(drift_in_compare)
{
  Bench bench;
  for (const auto &[name, ns] : {std::pair("v1", 50), {"a", 54}, {"b", 56}})
    result::write_result(bench.here / std::string(name), fake_result(50, ns));
  std::string a = bench.here / "a", b = bench.here / "b", v1 = bench.here / "v1";
  expect_code(bench.gate({"compare", a, b}), 0, bench);
  expect_code(bench.gate({"compare", a, b, "--anchor", v1, "--drift-budget", "10"}), 1, bench);
  expect_code(bench.gate({"compare", a, b, "--anchor", v1, "--drift-budget", "15"}), 0, bench);
}

// What is not known to be within the budget is no pass.
TEST(drift_that_is_not_known_is_no_pass)
{
  Bench bench({.names = "one"});
  bench.gate({"record"});
  bench.baseline({"anchor", "v1.0"});
  bench.write({});
  bench.gate({"record"});
  expect_code(bench.gate({"check"}), 0, bench);
  expect_code(bench.gate({"check", "--drift-budget", "10%"}), 3, bench);
  expect_eq(bench.row("one")["verdict"].get<std::string>(), "unchanged");
  expect_eq(bench.row("two")["verdict"].get<std::string>(), "incomparable");
  expect_has(bench.row("two")["note"].get<std::string>(), "has no such row");
  bench.write({.definition = "2"});
  bench.gate({"record"});
  expect_code(bench.gate({"check", "--drift-budget", "10%"}), 3, bench);
  expect_has(bench.row("one")["note"].get<std::string>(), "incomparable (definition 1 against 2");
  Row row = {.name = "one", .metric = "latency", .method = "ab"};
  Row since = row;
  since.change = .02;
  found(row, "not-worse");
  Report report = {.command = "check", .rows = {row}};
  add_drift(report.rows, {since}, "v1", .1);
  expect_eq(exit_code(report), 3);
}

// Counts, memory and ratios have the budget for their tolerance, too.
TEST(drift_budget_is_of_every_row)
{
  using result::Class;
  Bench bench;
  auto write = [&](const std::string &name, double count, double memory, double share) {
    result::Result side = fake_result(50, 50);
    auto add = [&](const char *metric, const char *unit, Class kind, double value) {
      side.benchmarks[0].metrics.push_back({.name = metric,
                                            .unit = unit,
                                            .kind = kind,
                                            .gated = true,
                                            .samples = std::vector(20, std::vector{value})});
    };
    add("insns", "insns/op", Class::Exact, count);
    add("jumps", "n", Class::Exact, count);
    add("peak", "MiB", Class::Memory, memory);
    add("share", "%", Class::Ratio, share);
    result::write_result(bench.here / name, side);
  };
  write("v1", 1000, 100, 10);
  write("a", 1080, 115, 12);
  auto compare = [&](const std::string &budget) {
    std::string a = bench.here / "a";
    return bench.gate({"compare", a, a, "--anchor", bench.here / "v1", "--drift-budget", budget});
  };
  expect_code(compare("20"), 0, bench);
  expect_code(compare("5"), 1, bench);
  expect_has(bench.output, "regressed=3 "); // 2 points are within 5
}

// A tolerance of stored times does not soften the budget.
TEST(drift_budget_is_not_overridden_by_the_stored_tolerance)
{
  Bench bench;
  bench.gate({"record"});
  bench.baseline({"anchor", "v1.0"});
  bench.write(
      {.ns = "$((ops * 60))", .environment = R"("cpu_model": "A", "cpus": 2, "kernel": "6.2")"});
  bench.gate({"record", "--reason", "wanted"});
  expect_code(bench.gate({"check", "--stored-tolerance", "50", "--drift-budget", "10"}), 1, bench);
}

TEST(expire_forgets_a_baseline_only_by_its_name)
{
  Bench bench;
  bench.gate({"record"});
  std::string key = key_of(bench);
  expect_code(bench.baseline({"expire", "--runs", "0", "--full", "0"}), 0, bench);
  expect_code(bench.gate({"check"}), 0, bench);
  expect_throws([&] { bench.baseline({"expire", "abcdef"}); }, "no baseline 'abcdef'");
  expect_code(bench.baseline({"expire", key}), 0, bench);
  expect_has(bench.output, "forgotten: 2 rows");
  bench.baseline({"list"});
  expect_has(bench.output, "no baseline");
}

TEST(trend_shows_steps_of_the_history)
{
  Bench bench;
  std::string report = bench.here / "trend.json";
  auto trend = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"trend", "--store", bench.here / "store"});
    return bench.run(arguments);
  };
  expect_code(trend({}), 3, bench);
  expect_has(bench.output, "no history");
  for (int i = 0; i < 40; i++)
    add_run(bench, i == 30 ? std::nan("") : 50 + .1 * (i * 7 % 5),
            (i < 20 ? 50 : 60) + .1 * (i * 7 % 5));
  add_run(bench, 500, 500, false);
  expect_code(trend({"--json", report}), 0, bench);
  expect_has(bench.output, "two latency: +19.9 % from run 21");
  expect_has(bench.output, "gate: trend series=2 changes=1 worse=1 outliers=0");
  json series = json::parse(read_file(report))["series"];
  expect_eq(series.size(), 2u);
  expect_eq(series[1]["changes"][0]["first"].get<int>(), 20);
  expect_eq(series[0]["points"].size(), 39u);
  expect_eq(series[0]["gaps"].size(), 1u);
  expect_eq(series[0]["gaps"][0]["label"].get<std::string>(), "run 31");
  // gate report --history takes it as it is.
  expect_has(format_html({.command = "check"}, read_file(report)), "level changed at run 21");
  expect_code(trend({"one", "--all"}), 0, bench);
  expect_has(bench.output, "series=1");
  expect_throws([&] { trend({"three"}); }, "no row of the history is 'three'");
}

// Were gaps filled with the figure before them, the one high run would become a level of its own.
TEST(trend_input_13_runs_without_figures_are_gaps_and_no_change)
{
  Bench bench;
  std::string report = bench.here / "trend.json";
  for (int i = 0; i < 50; i++) {
    bool gap = i > 20 && i < 31;
    double ns = gap ? std::nan("") : i == 20 ? 60 : 50 + .1 * (i * 7 % 5);
    add_run(bench, ns, 50 + .1 * (i * 3 % 5));
  }
  expect_code(bench.run({"trend", "--store", bench.here / "store", "--json", report}), 0, bench);
  expect_has(bench.output, "gate: trend series=2 changes=0 worse=0 outliers=1");
  json one = json::parse(read_file(report))["series"][0];
  expect_eq(one["points"].size(), 40u);
  expect_eq(one["gaps"].size(), 10u);
}

TEST(trend_of_files)
{
  Bench bench;
  std::vector<std::string> arguments = {"trend", "--import"};
  for (int i = 0; i < 24; i++) {
    arguments.push_back(bench.here / fmt::format("{}.json", i));
    result::Result own = fake_result((i < 12 ? 50 : 40) + .1 * (i * 7 % 5), 50);
    own.started = fmt::format("2026-01-{:02}T10:00:00Z", i + 1);
    result::write_result(arguments.back(), own);
  }
  expect_code(bench.run(arguments), 0, bench);
  expect_has(bench.output, "one latency: -19.9 % from " + (bench.here / "12.json"));
  expect_has(bench.output, "worse=0");
  expect(!fs::exists(bench.here / "store"), "files are not stored");
  expect_throws([&] { bench.run({"trend", "--import", bench.here / "none.json"}); }, "none.json");
  expect_throws(
      [&] {
        bench.run({"trend", "--confirm", "--import", bench.here / "0.json"});
      },
      "--confirm");
}

TEST(trend_confirm_measures_both_sides_again)
{
  Bench bench;
  auto record = [&](int ns) {
    bench.write({.ns = fmt::format("$((ops * (n ? {} : 50)))", ns)});
    bench.gate({"record"});
  };
  for (int i = 0; i < 10; i++)
    add_run(bench, 50 + .1 * (i % 3), 50 + .1 * (i % 3));
  record(50);
  record(60);
  Store store(bench.here / "store");
  store.accept(store.runs().back().id, "wanted");
  for (int i = 0; i < 10; i++)
    add_run(bench, 50 + .1 * (i % 3), 60 + .1 * (i % 3));
  expect_code(bench.run({"trend", "--confirm", "--store", bench.here / "store"}), 1, bench);
  expect_has(bench.output, "confirm: two latency: regressed, run 12 against run 11, +20.0 %");
  expect_has(bench.output, "accepted: wanted");
}
