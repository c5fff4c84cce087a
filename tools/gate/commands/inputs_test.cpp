// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// "gate compare" of two files, from their text to the exit code. The numbers are those of
// docs/gate-inputs.md: kinds of input that public bug reports on comparers tell of.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "tools/gate/commands/commands.h"
#include "tools/gate/system/git.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/fd.h"
#include "tools/lib/json.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::json;

namespace
{

struct Compared {
  int code = 0;
  json report;

  json row(const std::string &name, const std::string &metric = "") const
  {
    for (const json &row : report["rows"])
      if (row["name"] == name && (metric.empty() || row["metric"] == metric))
        return row;
    fail("no row " + name + " in " + report.dump(), std::source_location::current());
  }
  std::string verdict(const std::string &name, const std::string &metric = "") const
  {
    json found = row(name, metric)["verdict"];
    return found.is_null() ? "not gated" : found.get<std::string>();
  }
  std::string note(const std::string &name, const std::string &metric = "") const
  {
    return row(name, metric)["note"].get<std::string>();
  }
  std::string remarks() const { return report["remarks"].dump(); }
};

// Nothing on the standard output while it lives: the report for programs is what is looked at.
class Quiet {
public:
  Quiet() : x_stdout(dup(STDOUT_FILENO))
  {
    fflush(stdout);
    Fd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
    dup2(null.get(), STDOUT_FILENO);
  }
  ~Quiet() { dup2(x_stdout.get(), STDOUT_FILENO); }

private:
  Fd x_stdout;
};

} // namespace

static Compared compare_texts(const std::string &base, const std::string &comp,
                              std::vector<const char *> more = {})
{
  TemporaryDirectory here;
  write_file(here / "base", base);
  write_file(here / "comp", comp);
  std::string first = here / "base", second = here / "comp", report = here / "report";
  std::vector<const char *> arguments = {"gate",         "compare", first.c_str(),
                                         second.c_str(), "--json",  report.c_str()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Options options = parse_options(arguments.size(), arguments.data());
  Quiet quiet;
  Compared compared{compare(options), {}};
  compared.report = json::parse(read_file(report));
  return compared;
}

// Twenty loads of each benchmark, around a center.
static std::string google(const std::string &name, double ns, const std::string &unit = "ns",
                          const std::string &more = "", size_t loads = 20)
{
  std::string text = R"({"context": {"num_cpus": 2}, "benchmarks": [)";
  for (size_t i = 0; i < loads; i++)
    text += fmt::format(R"({}{{"name": "{}", "run_type": "iteration", "iterations": 1000,
                        "real_time": {}, "cpu_time": {}, "time_unit": "{}"{}}})",
                        i ? ",\n" : "", name, ns, ns * (1 + i * 1e-4), unit, more);
  return text + "]}\n";
}

static std::string go(const std::string &name, const std::string &values, size_t loads = 20)
{
  std::string text;
  for (size_t i = 0; i < loads; i++)
    text += fmt::format("Benchmark{} 1000 {}\n", name, values);
  return text;
}

// A run of the kernel's bench.
static std::string run_log(const std::string &name, double rate)
{
  std::string text = fmt::format("Setting up benchmark '{}'...\n", name);
  for (int i = 0; i < 4; i++)
    text += fmt::format("Iter {:3d} (  0.000us): hits {:8.3f}M/s ({:7.3f}M/prod)\n", i,
                        rate + .001 * i, rate + .001 * i);
  return text + fmt::format("Summary: throughput {:8.3f} ± 0.001 M ops/s ({:7.3f}M ops/prod), "
                            "latency {:8.3f} ns/op\n",
                            rate + .002, rate + .002, 1000 / rate);
}

static std::string runs_log(const std::string &name, double rate, size_t runs)
{
  std::string text;
  for (size_t i = 0; i < runs; i++)
    text += run_log(name, rate);
  return text;
}

// One result file with a benchmark that the verifier refused, or not.
static std::string refusing_file(const char *failure)
{
  result::Result file = time_result({});
  file.benchmarks[0].status = result::Status::Failed;
  file.benchmarks[0].reason = "cannot load BPF object 'lookup'";
  file.benchmarks[0].failure = failure;
  file.benchmarks[0].metrics.clear();
  return format_result(file);
}

static const char veristat_header[] = "file_name,prog_name,verdict,total_insns,total_states\n";

TEST(input_1_2_3_gone_and_new_in_foreign_files)
{
  Compared compared = compare_texts(go("A", "100 ns/op") + go("Gone", "5 ns/op"),
                                    go("A", "200 ns/op") + go("Fresh", "7 ns/op"));
  expect_eq(compared.verdict("Gone"), std::string("missing"));
  expect_eq(compared.verdict("Fresh"), std::string("new"));
  expect_eq(compared.code, 1);
  expect_near(compared.report["geometric_mean"]["change"].get<double>(), 1, 1e-9);
  expect_eq(compared.report["geometric_mean"]["rows"].get<int>(), 1);
  compared = compare_texts(go("A", "5 ns/op") + go("Gone", "5 ns/op"), go("A", "5 ns/op"));
  expect_eq(compared.code, 3);
}

TEST(input_6_from_zero_allocations)
{
  Compared compared = compare_texts(go("A", "5 ns/op 0 allocs/op"), go("A", "5 ns/op 3 allocs/op"));
  expect_eq(compared.verdict("A", "allocs/op"), std::string("regressed"));
  expect_eq(compared.row("A", "allocs/op")["scale"].get<std::string>(), std::string("difference"));
}

TEST(input_7_to_zero_where_that_is_good_and_where_not)
{
  Compared compared = compare_texts(go("A", "5 ns/op 3 allocs/op"), go("A", "5 ns/op 0 allocs/op"));
  expect_eq(compared.verdict("A", "allocs/op"), std::string("improved"));
  compared = compare_texts(go("A", "5 ns/op"), go("A", "0 ns/op"));
  expect_eq(compared.verdict("A"), std::string("invalid"));
  std::string base = std::string(veristat_header) + "a.o,p,success,3069448,7\n";
  compared = compare_texts(base, std::string(veristat_header) + "a.o,p,success,0,7\n");
  expect_eq(compared.verdict("p", "total_insns"), std::string("invalid"));
}

TEST(input_9_units_of_two_files)
{
  Compared compared = compare_texts(google("b", 900, "ns"), google("b", 1.1, "us"));
  expect_eq(compared.verdict("b", "cpu_time"), std::string("regressed"));
  expect_near(compared.row("b", "cpu_time")["comp"].get<double>(), 1100, 2);
  compared = compare_texts(google("b", 900, "ns"), google("b", .9, "us"));
  expect_eq(compared.verdict("b", "cpu_time"), std::string("unchanged"));
  compared = compare_texts(google("b", 900, "ns"), google("b", 1.1, "furlongs"));
  expect_eq(compared.verdict("b", "cpu_time"), std::string("incomparable"));
  expect_eq(compared.code, 3);
}

TEST(input_10_direction_of_each_metric)
{
  Compared compared =
      compare_texts(go("A", "100 ns/op 50 queries/s"), go("A", "50 ns/op 25 queries/s"));
  expect_eq(compared.verdict("A", "time"), std::string("improved"));
  expect_eq(compared.verdict("A", "queries/s"), std::string("regressed"));
}

TEST(input_10_unknown_direction_is_two_sided_and_told)
{
  for (const char *now : {"5 ns/op 150 frobs", "5 ns/op 50 frobs"}) {
    Compared compared = compare_texts(go("A", "5 ns/op 100 frobs"), go("A", now));
    expect_eq(compared.verdict("A", "frobs"), std::string("regressed"));
    expect_has(compared.note("A", "frobs"), "direction unknown");
    expect_eq(compared.code, 1);
  }
  Compared compared = compare_texts(go("A", "5 ns/op 100 frobs"), go("A", "5 ns/op 100 frobs"));
  expect_eq(compared.verdict("A", "frobs"), std::string("unchanged"));
  auto directed = [](const char *direction) {
    return compare_texts(go("A", "5 ns/op 100 frobs"), go("A", "5 ns/op 150 frobs"),
                         {"--better", direction})
        .verdict("A", "frobs");
  };
  expect_eq(directed("frobs=higher"), std::string("improved"));
  expect_eq(directed("frobs=lower"), std::string("regressed"));
  expect_eq(directed("frobs=none"), std::string("not gated"));
  // One of the files tells.
  compared = compare_texts("Unit frobs better=higher\n" + go("A", "5 ns/op 100 frobs"),
                           go("A", "5 ns/op 150 frobs"));
  expect_eq(compared.verdict("A", "frobs"), std::string("improved"));
  expect_throws([&] { directed("frobs=up"); }, "--better: 'frobs=up' is not METRIC=lower");
}

TEST(input_11_nan_tokens)
{
  std::string comp = google("b", 100);
  comp.replace(comp.find("\"cpu_time\": 100"), 15, "\"cpu_time\": NaN");
  Compared compared = compare_texts(google("b", 100, "ns", "", 21), comp + google("b", 100));
  expect_eq(compared.verdict("b", "cpu_time"), std::string("invalid"));
  expect_has(compared.note("b", "cpu_time"), "comp: 1 of 40 samples unusable");
  expect(compared.report.dump().find("NaN") == std::string::npos, "never emitted");
}

TEST(input_14_15_intervals_of_one_run_are_one_load)
{
  Compared compared = compare_texts(run_log("lpm-trie-noop", 80), run_log("lpm-trie-noop", 40));
  expect_eq(compared.verdict("lpm-trie-noop", "throughput"), std::string("inconclusive"));
  expect_has(compared.note("lpm-trie-noop", "throughput"), "needs 8 loads a side, has 1");
  compared = compare_texts(runs_log("lpm-trie-noop", 80, 20), runs_log("lpm-trie-noop", 40, 20));
  expect_eq(compared.verdict("lpm-trie-noop", "throughput"), std::string("regressed"));
  expect_eq(compared.code, 1);
  compared = compare_texts(runs_log("lpm-trie-noop", 80, 20), runs_log("lpm-trie-noop", 80, 20));
  expect_eq(compared.code, 0);
  expect_eq(compared.verdict("lpm-trie-noop", "throughput"), std::string("unchanged"));
}

TEST(input_19_repetitions_merge)
{
  Compared compared = compare_texts(google("b", 100) + google("b", 100), google("b", 100));
  expect_eq(compared.row("b", "cpu_time")["base_loads"].get<int>(), 40);
}

TEST(input_21_renames_and_other_parameters)
{
  std::string base = go("Lookup/1k", "5 ns/op"), comp = go("Lookup/n=1k", "5 ns/op");
  Compared compared = compare_texts(base, comp);
  expect_eq(compared.verdict("Lookup/1k"), std::string("missing"));
  expect_has(compared.note("Lookup/1k"), "--rename Lookup/1k=Lookup/n=1k");
  expect_eq(compared.code, 3);
  compared = compare_texts(base + go("X", "1 ns/op"), comp + go("Y", "1 ns/op"),
                           {"--rename", "X=Y", "--rename", "Lookup/1k=Lookup/n=1k"});
  expect_eq(compared.code, 0);
  compared = compare_texts(go("A-8", "5 ns/op"), go("A-16", "5 ns/op"));
  expect_has(compared.report["rows"].dump(),
             "comp has it with other parameters: {\\\"gomaxprocs\\\":16}");
}

TEST(input_23_machines_of_foreign_files)
{
  std::string one = "cpu: A\n" + go("A", "5 ns/op"), other = "cpu: B\n" + go("A", "5 ns/op");
  Compared compared = compare_texts(one, other);
  expect_eq(compared.verdict("A"), std::string("incomparable"));
  expect_has(compared.remarks(), "cpu_model: A against B");
  compared = compare_texts(one, one);
  expect_eq(compared.code, 0);
  compared = compare_texts(one, go("A", "5 ns/op"));
  expect_has(compared.remarks(), "comp does not tell its machine");
}

TEST(input_26_other_library_is_told_above_the_table)
{
  result::Result base = time_result(loads_around(100)), comp = base;
  base.environment["libraries"] = {{"libc.so.6", "aa"}};
  comp.environment["libraries"] = {{"libc.so.6", "bb"}};
  Compared compared = compare_texts(format_result(base), format_result(comp));
  expect_eq(compared.verdict("lookup"), std::string("unchanged"));
  expect_has(compared.remarks(), "differs: libraries.libc.so.6: aa against bb");
}

// Main has moved on since the branch began: what both have in common is what the branch changed.
TEST(input_34_common_commit_of_two_revisions)
{
  if (system("git --version >/dev/null 2>&1") != 0)
    throw Skip("no git");
  TemporaryDirectory here;
  std::string script = fmt::format(
      "cd '{}' && exec >/dev/null 2>&1 && git init -q . && "
      "c() {{ git -c user.name=a -c user.email=a@b commit -q --allow-empty -m $1; }} && "
      "c first && git tag fork && git checkout -q -b topic && c patch && git checkout -q -b trunk "
      "fork && c other && git rev-parse fork >expected",
      here.path());
  expect_eq(system(script.c_str()), 0);
  auto old = std::filesystem::current_path();
  std::filesystem::current_path(here.path());
  std::string found = merge_base("trunk", "topic"), unknown = merge_base("trunk", "no-such");
  std::filesystem::current_path(old);
  expect_eq(found + "\n", read_file(here / "expected"));
  expect_eq(unknown, std::string());
  expect_eq(merge_base("trunk", "1a2b-dirty") + merge_base("--all", "b..c"), std::string());
}

TEST(input_32_nothing_in_common)
{
  Compared compared = compare_texts(go("A", "5 ns/op"), go("Zzzzzzzz", "5 ns/op"));
  expect_eq(compared.code, 3);
  compared = compare_texts(go("A", "5 ns/op"), run_log("lpm-trie-noop", 80));
  expect_eq(compared.code, 3);
  expect_throws([] { compare_texts("", go("A", "5 ns/op")); }, "base: empty");
  expect_throws([] { compare_texts(go("A", "5 ns/op"), "no figures\n"); }, "comp: nothing that");
}

TEST(input_37_broken_json_is_not_compared_in_part_unless_asked)
{
  std::string text = google("b", 100, "ns", "", 21), cut = text.substr(0, text.size() - 30);
  expect_throws([&] { compare_texts(text, cut); }, "comp: broken JSON at byte");
  Compared compared = compare_texts(text, cut, {"--partial"});
  expect_eq(compared.verdict("b", "cpu_time"), std::string("unchanged"));
  expect_has(compared.remarks(), "only in part");
}

TEST(input_41_verifier_refuses_now)
{
  std::string base = std::string(veristat_header) + "a.o,p,success,1000,70\na.o,q,failure,5,1\n";
  std::string comp = std::string(veristat_header) + "a.o,p,failure,10,1\na.o,q,success,900,60\n";
  Compared compared = compare_texts(base, comp);
  expect_eq(compared.verdict("p", "failed"), std::string("regressed"));
  expect_has(compared.note("p", "failed"), "the verifier refuses the program");
  expect_eq(compared.verdict("q", "failed"), std::string("improved"));
  expect_eq(compared.code, 1);
  compared = compare_texts(base, base);
  expect_eq(compared.verdict("q", "failed"), std::string("unchanged"));
  expect_eq(compared.code, 0);
  // Our own files: a refusal is told from what fails otherwise.
  std::string good = format_result(time_result(loads_around(100)));
  compared = compare_texts(good, refusing_file("verifier"));
  expect_eq(compared.verdict("lookup"), std::string("regressed"));
  expect_has(compared.note("lookup"), "failed: cannot load BPF object 'lookup'");
  expect_eq(compared.code, 1);
  compared = compare_texts(good, refusing_file(""));
  expect_eq(compared.verdict("lookup"), std::string("invalid"));
  expect_eq(compared.code, 3);
  compared = compare_texts(refusing_file("verifier"), good);
  expect_eq(compared.verdict("lookup"), std::string("new"));
  compared = compare_texts(refusing_file("verifier"), refusing_file("verifier"));
  expect_eq(compared.verdict("lookup"), std::string("invalid"));
}

TEST(input_41_tests_that_fail_now)
{
  std::string base = "KTAP version 1\n1..3\nok 1 a\nnot ok 2 b\nok 3 c\n";
  std::string comp = "KTAP version 1\n1..3\n# went wrong\nnot ok 1 a\nok 2 b\nok 3 c # SKIP\n";
  Compared compared = compare_texts(base, comp);
  expect_eq(compared.verdict("a"), std::string("regressed"));
  expect_has(compared.note("a"), "went wrong");
  expect_eq(compared.verdict("b"), std::string("improved"));
  expect_eq(compared.verdict("c"), std::string("missing"));
  expect_eq(compared.code, 1);
  expect_eq(compare_texts(base, base).code, 0);
  // A new test that fails is no success.
  expect_eq(compare_texts("KTAP version 1\nok 1 a\n", "KTAP version 1\nok 1 a\nnot ok 2 d\n").code,
            3);
}

TEST(input_43_no_iterations)
{
  std::string text;
  for (int i = 0; i < 20; i++)
    text += "BenchmarkA 0 5 ns/op\n";
  Compared compared = compare_texts(text, text);
  expect_eq(compared.code, 0);
  expect_has(compared.remarks(), "0 iterations");
}

TEST(input_53_log_of_a_console)
{
  std::string text = runs_log("bloom-lookup", 40, 20), broken = text;
  for (size_t at = 0; (at = broken.find("±", at)) != broken.npos;)
    broken.replace(at, 2, "?");
  expect_eq(compare_texts(text, broken).verdict("bloom-lookup", "throughput"),
            std::string("unchanged"));
}

TEST(input_55_59_other_conditions_are_told)
{
  std::string fewer = go("A", "5 ns/op");
  for (size_t at = 0; (at = fewer.find(" 1000 ", at)) != fewer.npos; at += 4)
    fewer.replace(at, 6, " 100 ");
  Compared compared = compare_texts(go("A", "5 ns/op"), fewer);
  expect_has(compared.note("A"), "1000 against 100 iterations a sample");
  result::Result base = time_result(loads_around(100)), comp = base;
  base.environment["bpf_stats"] = 0;
  comp.environment["bpf_stats"] = 1;
  compared = compare_texts(format_result(base), format_result(comp));
  expect_eq(compared.verdict("lookup"), std::string("incomparable"));
  expect_has(compared.remarks(), "bpf_stats: 0 against 1");
}

TEST(input_standard_input_can_be_one_side_only)
{
  const char *arguments[] = {"gate", "compare", "-", "-"};
  Options options = parse_options(4, arguments);
  expect_throws([&] { compare(options); }, "only one side can be '-'");
}
