// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The commands from their options to their exit codes, with made-up benches.
#include <filesystem>

#include "tools/gate/history/store.h"
#include "tools/gate/testing/gate_runner.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/json.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::json;
namespace fs = std::filesystem;

TEST(command_record_and_check_the_same)
{
  Bench bench;
  expect_code(bench.gate({"record"}), 0, bench);
  expect_has(bench.output, "gate: recorded=2 replaced=0 failed=0 skipped=0\n");
  expect_eq(result::read_result(bench.here / "report.json").benchmarks.size(), 2u);
  expect_code(bench.gate({"check"}), 0, bench);
  expect_has(bench.output,
             "\ngate: verdict=unchanged regressed=0 improved=0 unchanged=2 "
             "inconclusive=0 new=0 missing=0 invalid=0 incomparable=0 waived=0 alpha=0.01\n");
  expect_eq(bench.row("one")["method"].get<std::string>(), "ab");
  expect_eq(bench.row("one")["base_loads"].get<int>(), 20);
  expect_code(bench.gate({"record"}), 0, bench);
  expect_has(bench.output, "replaced=2");
}

TEST(command_check_finds_the_one_that_became_slower)
{
  Bench bench;
  bench.gate({"record"});
  bench.write({.ns = "$((ops * (n ? 65 : 50)))"});
  expect_code(bench.gate({"check"}), 1, bench);
  expect_has(bench.output, "gate: verdict=regressed regressed=1 improved=0 unchanged=1");
  json row = bench.row("two");
  expect_eq(row["verdict"].get<std::string>(), "regressed");
  expect_near(row["change"].get<double>(), .3, .001);
  expect_eq(row["base_loads"].get<int>(), 40); // of the second look
  bench.write({.ns = "$((ops * (n ? 35 : 50)))"});
  expect_code(bench.gate({"check"}), 0, bench);
  expect_eq(bench.row("two")["verdict"].get<std::string>(), "improved");
}

TEST(command_check_with_thresholds)
{
  Bench bench;
  std::string path = bench.here / "wide.toml";
  auto check_with = [&](const char *text) {
    write_file(path, text);
    return bench.gate({"check", "--thresholds", path});
  };
  bench.gate({"record"});
  bench.write({.ns = "$((ops * 65))"});
  expect_code(check_with("[[threshold]]\nbenchmark = \"t*\"\ntolerance = 50\n"), 1, bench);
  expect_eq(bench.row("one")["verdict"].get<std::string>(), "regressed");
  expect_eq(bench.row("one")["tolerance"].get<double>(), .05);
  json two = bench.row("two");
  expect_eq(two["verdict"].get<std::string>(), "unchanged");
  expect_eq(two["tolerance"].get<double>(), .5);
  expect_has(two["note"].get<std::string>(), "tolerance 50 %, " + path + ":1:1");
  expect_code(check_with("[[threshold]]\ntolerance = \"40 %\"\n"), 0, bench);
  expect_throws([&] { check_with("[[threshold]]\nbenchmark = \"three\"\ntolerance = 50\n"); },
                path + ":1:1: no benchmark is 'three'");
  expect_throws([&] { check_with("[[threshold]]\ntolerance = 50\nmetrics = \"latency\"\n"); },
                path + ":3:1: unknown key 'metrics'");
}

TEST(command_the_same_code_with_the_same_arguments_never_regresses)
{
  Bench bench;
  // A host that is slower for whatever runs from elsewhere than the store.
  bench.write(
      {.ns = "$(case $0 in */artefacts/*) echo $((ops * 50)) ;; *) echo $((ops * 80)) ;; esac)"});
  bench.gate({"record"});
  expect_code(bench.gate({"check"}), 0, bench);
  expect_eq(bench.row("one")["verdict"].get<std::string>(), "inconclusive");
  expect_has(bench.row("one")["note"].get<std::string>(), "too noisy");
  expect_code(bench.gate({"check", "--strict"}), 3, bench);
  expect_code(bench.gate({"check", "--inject", "30%"}), 1, bench);
}

TEST(command_null_arm_is_shown_and_never_counted)
{
  Bench bench({.names = "anchor-alu one"});
  bench.gate({"record"});
  expect_code(bench.gate({"check"}), 0, bench);
  expect_has(bench.output, "unchanged=2");
  json null = bench.row("anchor-alu (null arm)");
  expect_eq(null["gated"].get<bool>(), false);
  expect_eq(null["secondary"].get<bool>(), true);
  expect_eq(null["tolerance"].get<double>(), 0.0);
  expect_has(null["note"].get<std::string>(), "the same code on both sides");
}

TEST(command_missing_and_new)
{
  Bench bench;
  expect_code(bench.gate({"check"}), 3, bench);
  expect_has(bench.output, "no baseline");
  expect_has(bench.output, "new=2");
  bench.gate({"record"});
  bench.write({.names = "two three"});
  expect_code(bench.gate({"check"}), 3, bench);
  expect_has(bench.output, "unchanged=1 inconclusive=0 new=1 missing=1");
  // Another selection expects only what it selects.
  expect_code(bench.gate({"check", "two", "three"}), 0, bench);
  expect_has(bench.output, "unchanged=1 inconclusive=0 new=1 missing=0");
  expect_code(bench.gate({"check", "--rename", "one=three"}), 0, bench);
  expect_has(bench.output, "unchanged=2 inconclusive=0 new=0 missing=0");
}

TEST(command_partial_record_keeps_the_other_rows)
{
  Bench bench;
  bench.gate({"record"});
  bench.write({.ns = "$((ops * 80))", .names = "two"});
  expect_code(bench.gate({"record", "two"}), 0, bench);
  expect_has(bench.output, "recorded=1 replaced=1");
  bench.write({.ns = "$((ops * 80))"});
  // "one" is compared with the old executable, "two" with the new one.
  expect_code(bench.gate({"check"}), 1, bench);
  expect_eq(bench.row("one")["verdict"].get<std::string>(), "regressed");
  expect_eq(bench.row("two")["verdict"].get<std::string>(), "unchanged");
}

TEST(command_other_kernel_uses_stored_figures)
{
  Bench bench;
  bench.gate({"record"});
  std::string other = R"("cpu_model": "A", "cpus": 2, "kernel": "6.2")";
  bench.write({.ns = "$((ops * 55))", .environment = other});
  expect_code(bench.gate({"check", "--stored-tolerance", "25"}), 0, bench);
  expect_has(bench.output, "recorded on another kernel");
  expect_eq(bench.row("one")["method"].get<std::string>(), "stored");
  bench.write({.ns = "$((ops * 80))", .environment = other});
  expect_code(bench.gate({"check", "--stored-tolerance", "25"}), 1, bench);
}

TEST(command_executable_that_is_gone_uses_stored_figures)
{
  Bench bench;
  bench.gate({"record"});
  fs::remove_all(bench.here / "store/artefacts");
  expect_code(bench.gate({"check"}), 0, bench);
  expect_has(bench.output, "executable is gone");
}

TEST(command_other_machine_is_incomparable_or_advice)
{
  Bench bench;
  bench.gate({"record"});
  bench.write(
      {.ns = "$((ops * 80))", .environment = R"("cpu_model": "B", "cpus": 2, "kernel": "6.1")"});
  expect_code(bench.gate({"check"}), 3, bench);
  expect_has(bench.output, "cpu_model: A against B");
  expect_has(bench.output, "incomparable=2");
  expect_code(bench.gate({"check", "--allow-foreign", "--stored-tolerance", "25"}), 0, bench);
  expect_has(bench.output, "regressed=2");
  expect_has(bench.output, "advice only");
}

TEST(command_other_definition_is_incomparable)
{
  Bench bench;
  bench.gate({"record"});
  bench.write({.definition = "2"});
  expect_code(bench.gate({"check"}), 3, bench);
  expect_has(bench.output, "incomparable=2");
}

TEST(command_bench_that_fails_or_skips_now)
{
  Bench bench;
  bench.gate({"record"});
  bench.write({.epoch = "[ $n = 0 ] && exit 7"});
  expect_code(bench.gate({"check"}), 3, bench);
  expect_has(bench.output, "exit status 7");
  expect_has(bench.output, "unchanged=1 inconclusive=0 new=0 missing=0 invalid=1");
  bench.write({.load = "echo skip no bloom filter; continue"});
  expect_code(bench.gate({"check"}), 4, bench);
  expect_has(bench.output, "skipped: no bloom filter\ngate: verdict=skipped regressed=0");
  bench.write({.load = "[ $n = 0 ] && { echo skip no map; continue; }"});
  expect_code(bench.gate({"check"}), 3, bench);
  expect_has(bench.output, "missing=1");
}

TEST(command_record_takes_only_what_is_sound)
{
  Bench bench({.load = "[ $n = 0 ] && { echo error no; continue; }"});
  expect_code(bench.gate({"record"}), 3, bench);
  expect_has(bench.output, "recorded=1 replaced=0 failed=1 skipped=0");
  bench.write({.ns = "0"});
  expect_code(bench.gate({"record"}), 3, bench);
  expect_has(bench.output, "recorded=0 replaced=0 failed=2");
  bench.write({.load = "echo skip nothing here; continue"});
  try {
    bench.gate({"record"});
    fail("threw nothing", std::source_location::current());
  } catch (const nothing_measurable &reason) {
    expect_has(reason.what(), "nothing here");
  }
}

TEST(command_compare_two_files)
{
  Bench bench;
  result::write_result(bench.here / "a.json", time_result(loads_around(100)));
  result::write_result(bench.here / "b.json", time_result(loads_around(130)));
  std::string a = bench.here / "a.json", b = bench.here / "b.json";
  expect_code(bench.gate({"compare", a, a}), 0, bench);
  expect_code(bench.gate({"compare", a, b}), 1, bench);
  expect_has(bench.output, "measured apart");
  expect_code(bench.gate({"compare", "--tolerance", "150 %", a, b}), 0, bench);
  result::Result foreign = time_result(loads_around(130));
  foreign.environment["cpus"] = 64;
  result::write_result(b, foreign);
  expect_code(bench.gate({"compare", a, b}), 3, bench);
  expect_has(bench.output, "cpus: 2 against 64");
  expect_code(bench.gate({"compare", "--allow-foreign", a, b}), 0, bench);
  expect_throws([&] { bench.gate({"compare", a, bench.here / "none"}); }, "none");
}

static Options parse(std::vector<const char *> arguments)
{
  arguments.insert(arguments.begin(), "gate");
  return parse_options(arguments.size(), arguments.data());
}

TEST(options_input_46_percentages)
{
  expect_near(parse_percent("x", "5"), .05, 1e-12);
  expect_near(parse_percent("x", "150 %"), 1.5, 1e-12);
  expect_near(parse_percent("x", "150%"), 1.5, 1e-12);
  expect_near(parse_percent("x", "1e-3"), 1e-5, 1e-12);
  expect_near(parse_percent("x", "0"), 0, 0);
  for (const char *wrong :
       {"", "%", "5x", "-1", "-0", "nan", "inf", "5 6", "5%%", "1,5", "0x5", " 5"})
    expect_throws([&] { parse_percent("--tolerance", wrong); }, "--tolerance: ");
}

TEST(options_what_gate_does_not_know_goes_to_bench)
{
  Options options = parse({"check", "--units", "30", "lpm-*", "--nr_entries", "5", "--inject",
                           "30%", "--store=/s", "--bench", "/b/bench", "-p", "2"});
  std::vector<std::string> wanted = {"lpm-*", "--nr_entries", "5", "--inject", "30%", "-p", "2"};
  expect(options.bench_arguments == wanted,
         fmt::format("{}", fmt::join(options.bench_arguments, " ")));
  expect_eq(options.units, 30u);
  expect_eq(options.store, "/s");
  options = parse({"check", "--bench", "/b/bench", "--", "--units", "5"});
  wanted = {"--units", "5"};
  expect(options.bench_arguments == wanted,
         fmt::format("{}", fmt::join(options.bench_arguments, " ")));
  options = parse({"record", "--bench", "/b/bench", "--store", "s"});
  wanted = {"--suite", "quick"};
  expect(options.bench_arguments == wanted);
  options = parse({"check", "--bench", "/b/bench", "--store", "s", "--inject", "a=30%"});
  wanted = {"--suite", "quick", "--inject", "a=30%"};
  expect(options.bench_arguments == wanted);
}

TEST(options_wrong_ones_are_one_clear_line)
{
  auto wrong = [](std::vector<const char *> arguments, const char *message) {
    expect_throws([&] { parse(arguments); }, message);
  };
  wrong({}, "subcommand");
  wrong({"compare", "a"}, "COMP");
  wrong({"compare", "a", "b", "c"}, "");
  wrong({"compare", "a", "b", "--tolerance", "5x"}, "'5x' is no percentage");
  wrong({"compare", "a", "b", "--alpha", "0"}, "--alpha");
  wrong({"compare", "a", "b", "--alpha", "0.6"}, "--alpha");
  wrong({"compare", "a", "b", "--rename", "x"}, "is not OLD=NEW");
  wrong({"check", "--units", "x"}, "--units");
  wrong({"check", "--units", "-3"}, "--units");
  wrong({"check", "--max-units", "30"}, "--max-units: at least 40");
  wrong({"record", "--units", "19"}, "at least 20 units");
  wrong({"check", "--seed", "1.5"}, "--seed");
  wrong({"check", "--serve"}, "--serve");
}

TEST(report_shows_what_tells_rows_apart)
{
  Report report = {.command = "compare"};
  for (int entries : {100, 1000}) {
    Row row = {.name = "lookup", .metric = "latency", .unit = "ns/op", .base = 131.23, .comp = 1e7};
    row.parameters = {{"nr_entries", entries}, {"random", false}};
    row.verdict = Verdict::Regressed;
    report.rows.push_back(row);
  }
  std::string text = format_table(report);
  expect_has(text, "lookup nr_entries=1000");
  expect(text.find("random") == std::string::npos);
  expect_has(text, "131.2 ns/op");
  expect_has(text, "10000000 ns/op");
  json value = json::parse(format_json(report));
  expect_eq(value["exit_code"].get<int>(), 1);
  expect_eq(value["counts"]["regressed"].get<int>(), 2);
  expect(value["rows"][0]["change"].is_null());
}

TEST(report_input_6_change_from_zero_is_no_percentage)
{
  Row row = {.name = "b",
             .metric = "drops",
             .unit = "drops",
             .kind = result::Class::Exact,
             .base = 0,
             .comp = 3,
             .relative = false,
             .change = 3};
  Report report = {.command = "compare", .rows = {row}};
  expect_has(format_table(report), "n/a (from 0)");
}

TEST(report_never_writes_infinity)
{
  Row row = {.name = "b", .metric = "m", .unit = "ns/op"};
  row.interval = {-std::numeric_limits<double>::infinity(), 0.5};
  Report report = {.command = "compare", .rows = {row}};
  json value = json::parse(format_json(report));
  expect(value["rows"][0]["interval"][0].is_null());
  expect_eq(value["rows"][0]["interval"][1].get<double>(), .5);
}

// What was measured alone is no figure of a run in turns.
TEST(command_a_mixed_run_is_kept_as_what_each_part_is)
{
  Bench bench({.environment = R"("cpu_model": "A", "cpus": 2, "kernel": "6.0")", .names = "one"});
  bench.gate({"record"});
  bench.write({.names = "two"});
  bench.gate({"record"});
  bench.write({});
  bench.gate({"check", "--stored-tolerance", "50"});
  Store store(bench.here / "store");
  size_t alone = 0, in_turns = 0;
  std::vector<Run> runs = store.runs();
  for (size_t i = 2; i < runs.size(); i++)
    for (const HistoryRow &row : store.rows(runs[i].id)) {
      bool one = row.key.starts_with("one");
      (one ? alone : in_turns)++;
      expect(runs[i].how == (one ? How::Alone : How::Interleaved), row.key);
    }
  expect(alone > 0 && in_turns > 0, fmt::format("{} and {}", alone, in_turns));
}

// Only then is the second try's chance of a false alarm independent of the first's.
TEST(command_after_a_null_alarm_the_order_is_drawn_anew)
{
  Bench bench;
  std::string seeds = bench.here / "seeds", count = bench.here / "count";
  // Noise for the null arm alone, the same each time that this test runs; some alarms by chance.
  for (int noise = 1; noise < 20 && bench.output.find("measured once more") == std::string::npos;
       noise++) {
    bench.write(
        {.load = fmt::format("case \"$*\" in anchor*) k=$(cat '{0}' 2>/dev/null || echo 0); "
                             "echo $((k + 1)) >'{0}'; noise=$((k * k * {1} % 97)) ;; esac",
                             count, noise),
         .epoch = fmt::format("echo $seed. >>'{}'", seeds),
         .ns = "$((ops * (50 + ${noise:-0})))",
         .names = "anchor-alu one"});
    bench.gate({"record"});
    fs::remove(seeds);
    fs::remove(count);
    expect_code(bench.gate({"check", "--alpha", "0.5"}), 0, bench);
  }
  expect_has(bench.output, "measured once more");
  expect_eq(bench.row("one")["verdict"].get<std::string>(), "unchanged");
  // The first draws of the second try would be those of the first, far behind in the list.
  std::string drawn = read_file(seeds), first = drawn.substr(0, drawn.find('\n') + 1);
  expect(drawn.size() > 100 * first.size(), drawn);
  expect(drawn.rfind(first) < drawn.size() / 4, "the same order again");
}
