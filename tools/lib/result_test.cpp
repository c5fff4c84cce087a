// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Numbers in names (input_37) are kinds of input that public bug reports on comparers tell of.
#include "tools/lib/result.h"

#include <clocale>
#include <limits>

#include "tools/lib/atomic_file.h"
#include "tools/lib/json.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace result;

static const char *metric_text =
    R"({"name": "latency", "unit": "ns/op", "better": "lower", "class": "time", "gated": true,
        "samples": [[131.25, 130.5], [129.875, null]]})";

static std::string benchmark_text(const std::string &metric = metric_text,
                                  const std::string &definition = "1")
{
  return R"({"name": "lookup", "parameters": {"nr_entries": 10000, "random": false}, "op": "one",
             "definition": )" +
         definition + R"(, "bytecode": "a1", "status": "ok", "metrics": [)" + metric + "]}";
}

static std::string file_text(const std::string &benchmarks, const std::string &version = "1")
{
  return R"({"schema": "bpfgate-result", "version": )" + version +
         R"(, "tool": {"name": "bench", "version": "0.1.0", "revision": "1a"},
            "command": ["bench", "lookup"], "started": "2026-11-30T10:30:25Z",
            "environment": {"cpus": 2, "load": [0.5, 0.25, 0.0]}, "unknown": 1, "benchmarks": [)" +
         benchmarks + "]}";
}

static std::string replaced(std::string text, const std::string &from, const std::string &to)
{
  size_t at = text.find(from);
  expect(at != std::string::npos, "the test replaces nothing");
  return text.replace(at, from.size(), to);
}

TEST(result_round_trip)
{
  Result first = parse_result(file_text(benchmark_text()), "f");
  expect_eq(first.tool.revision, "1a");
  expect_eq(first.command.at(1), "lookup");
  expect_eq(first.environment["cpus"].whole(), 2);
  expect_eq(first.benchmarks.size(), 1u);
  expect_eq(first.benchmarks[0].metrics[0].samples[1][0], 129.875);
  expect(std::isnan(first.benchmarks[0].metrics[0].samples[1][1]));
  std::string text = format_result(first);
  expect_eq(format_result(parse_result(text, "f")), text);
}

TEST(result_written_and_read_back)
{
  TemporaryDirectory here;
  Result first = parse_result(file_text(benchmark_text()), "f");
  first.benchmarks[0].inject_pct = 30;
  first.benchmarks[0].base_bytecode = "b2";
  write_result(here / "r.json", first);
  Result second = read_result(here / "r.json");
  expect_eq(*second.benchmarks[0].inject_pct, 30.0);
  expect_eq(second.benchmarks[0].base_bytecode, std::string("b2"));
  expect_eq(format_result(first), format_result(second));
}

TEST(result_never_writes_what_is_no_number)
{
  Result file = parse_result(file_text(benchmark_text()), "f");
  double infinite = std::numeric_limits<double>::infinity();
  file.benchmarks[0].metrics[0].samples = {{infinite, -infinite, std::nan("")}};
  file.benchmarks[0].inject_pct = infinite;
  std::string text = format_result(file);
  expect_has(text, "[[null,null,null]]");
  expect(text.find("inject_pct") == std::string::npos);
}

TEST(result_keeps_bytes_that_are_no_utf8_from_throwing)
{
  Result file = parse_result(file_text(benchmark_text()), "f");
  file.environment["cpu_model"] = "odd \xb1";
  parse_result(format_result(file), "f");
}

TEST(result_input_11_nan_token_is_broken_json)
{
  std::string text = replaced(file_text(benchmark_text()), "131.25", "NaN");
  expect_throws([&] { parse_result(text, "f.json"); }, "f.json: broken JSON at byte");
}

TEST(result_input_37_truncated)
{
  std::string text = file_text(benchmark_text());
  for (size_t length : {1ul, 50ul, text.size() / 2, text.size() - 1})
    expect_throws([&] { parse_result(text.substr(0, length), "f.json"); },
                  fmt::format("f.json: broken JSON at byte {} of {}", length, length));
}

TEST(result_input_32_empty_or_other_file)
{
  expect_throws([] { parse_result("", "f"); }, "f: empty");
  expect_throws([] { parse_result("\n", "f"); }, "f: empty");
  expect_throws([] { parse_result("[]", "f"); }, "/ is array, expected an object");
  expect_throws([] { parse_result("{}", "f"); }, "not a result file");
  expect_throws([] { parse_result(R"({"schema": "other"})", "f"); }, "not a result file");
  expect_throws([] { read_result("/nonexistent/f"); }, "/nonexistent/f");
  expect_throws([] { parse_result(std::string(100000, '['), "f"); }, "nested deeper");
  expect_throws([] { parse_result(R"({"schema": "bpfgate-result", "version": 1e999})", "f"); },
                "f: broken JSON");
}

TEST(result_input_38_versions)
{
  expect_throws([] { parse_result(file_text("", "2"), "f"); }, "/version is 2, newer than the 1");
  parse_result(file_text("", "0"), "f");
  std::string old = R"({"schema": "bpfgate-result", "version": 1, "benchmarks":
    [{"name": "a", "definition": 1, "status": "ok"}]})";
  expect_eq(parse_result(old, "f").benchmarks[0].name, "a");
}

TEST(result_wrong_members_are_pointed_at)
{
  std::string text = file_text(benchmark_text());
  auto broken = [&](const char *from, const char *to, const char *message) {
    expect_throws([&] { parse_result(replaced(text, from, to), "f"); }, message);
  };
  broken(R"("name": "lookup")", R"("name": 3)", "f: /benchmarks/0/name is number, expected text");
  broken(R"("name": "lookup")", R"("name": "\u001b[31m")",
         "f: /benchmarks/0/name has a control character: '?[31m'");
  broken(R"("name": "latency")", R"("name": "late\ncy")",
         "f: /benchmarks/0/metrics/0/name has a control character: 'late?cy'");
  broken(R"("unit": "ns/op", )", "", "f: /benchmarks/0/metrics/0/unit is missing");
  broken("131.25", R"("131")", "/benchmarks/0/metrics/0/samples/0/0 is string");
  broken(R"("lower")", R"("smaller")", "/metrics/0/better is 'smaller'");
  broken(R"("definition": 1)", R"("definition": -1)", "/benchmarks/0/definition");
  broken(R"("definition": 1)", R"("definition": 1.5)", "/benchmarks/0/definition");
  broken(R"("gated": true)", R"("gated": 1)", "/metrics/0/gated is number");
  broken(R"("status": "ok")", R"("status": "fi\nne\u001b.")",
         "f: /benchmarks/0/status is 'fi?ne?.', not one");
  broken(R"("command": ["bench")", R"("command": [{})", "/command/0 is object");
}

TEST(result_input_19_same_row_twice)
{
  Result joined = parse_result(file_text(benchmark_text() + "," + benchmark_text()), "f");
  expect_eq(joined.benchmarks.size(), 1u);
  expect_eq(joined.benchmarks[0].metrics[0].samples.size(), 4u);

  std::string twice = std::string(metric_text) + "," + metric_text;
  joined = parse_result(file_text(benchmark_text(twice)), "f");
  expect_eq(joined.benchmarks[0].metrics.size(), 1u);

  std::string other = benchmark_text(metric_text, "2");
  expect_throws([&] { parse_result(file_text(benchmark_text() + "," + other), "f"); },
                "/benchmarks/1 is 'lookup' with the same parameters twice");
  std::string microseconds = replaced(metric_text, "ns/op", "us/op");
  expect_throws(
      [&] { parse_result(file_text(benchmark_text() + "," + benchmark_text(microseconds)), "f"); },
      "metric 'latency' twice");
}

TEST(result_key_is_name_parameters_metric)
{
  auto key = [](const char *parameters) {
    return benchmark_key({.name = "a", .parameters = to_value(json::parse(parameters))});
  };
  expect_eq(key(R"({"x": 1, "y": 2})"), key(R"({"y": 2, "x": 1})"));
  expect_eq(key(R"({"x": 10000})"), key(R"({"x": 1e4})"));
  expect(key(R"({"x": 1})") != key(R"({"x": "1"})"));
  expect(key(R"({"x": 1.5})") != key(R"({"x": 1})"));
  expect(key("{}") != key(R"({"x": 1})"));
  Benchmark benchmark = {.name = "a"};
  expect(row_key(benchmark, {.name = "m"}) != row_key(benchmark, {.name = "n"}));
}

TEST(result_functions_are_read_as_they_were_written)
{
  Result result = parse_result(file_text(benchmark_text()), "f");
  result.benchmarks[0].functions = {{"op [bpf]", {{"insns", {5, 6.25}}, {"l2_misses", {0, .5}}}},
                                    {"empty", {}}};
  Result back = parse_result(format_result(result), "f");
  const auto &functions = back.benchmarks[0].functions;
  expect_eq(functions.size(), 2u);
  expect_eq(functions[0].name, "op [bpf]");
  expect(functions[0].events == result.benchmarks[0].functions[0].events);
  expect_throws([&] { parse_result(replaced(format_result(result), "6.25", "\"6\""), "f"); },
                "f: /benchmarks/0/functions/0/events/insns/1 is string, expected a number");
  expect_throws(
      [&] { parse_result(replaced(format_result(result), "op [bpf]", "op\\u001b"), "f"); },
      "f: /benchmarks/0/functions/0/name has a control character");
}

TEST(result_list_of_serve_has_no_samples)
{
  Benchmark benchmark = parse_result(file_text(benchmark_text()), "f").benchmarks[0];
  benchmark.batched = false;
  json value = to_json(benchmark, false);
  expect(!value["metrics"][0].contains("samples"));
  Benchmark back = benchmark_from_json(value, "list");
  expect_eq(back.batched.value(), false);
  expect_eq(back.metrics[0].samples.size(), 0u);
}
