// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// KTAP and TAP: one exact metric a test, "failed", 0 or 1. Subtests carry the name of the test that
// they belong to. The numbers of tests shift whenever one is added, so that names are the keys.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "tools/gate/readers/collector.h"
#include "tools/gate/readers/format.h"
#include "tools/lib/text.h"

namespace gate
{

using result::Benchmark;
using result::Class;
using result::Status;

namespace
{

enum class Outcome { Passed, Failed, Skipped };

struct Test {
  size_t depth = 0;
  std::string name;
  Outcome outcome = Outcome::Passed;
  std::string reason;
};

struct Plan {
  std::optional<uint64_t> planned;
  uint64_t seen = 0;
};

class Ktap : public LineParser {
public:
  explicit Ktap(const std::string &input) : x_collector(input), x_input(input) {}

  void line(std::string_view text, size_t number) override
  {
    std::string_view bare = text;
    size_t depth = take_depth(bare);
    if (bare.starts_with("KTAP version ") || bare.starts_with("TAP version ")) {
      x_versions++;
      x_levels[depth] = {};
    } else if (bare.starts_with("1..")) {
      take_plan(bare.substr(3), depth);
    } else if (auto test = parse_test(bare)) {
      test->depth = depth;
      take_test(std::move(*test), number);
    } else if (bare.starts_with("Bail out!")) {
      x_collector.remark(fmt::format("line {}: {}", number, printable(bare)));
    } else if (x_versions && text.find_first_not_of(" \t#") != text.npos) {
      keep_cut(bare, number);
      x_last_words = printable(trimmed(text), 120);
    }
  }

  size_t recognised() const override { return x_versions ? x_versions + x_tests.size() : 0; }

  Reading finish() override
  {
    while (!x_levels.empty()) {
      size_t deepest = x_levels.rbegin()->first;
      check_plan(deepest, deepest == 0 ? "" : "a test that did not end");
      x_levels.erase(deepest);
    }
    for (const Test &test : x_tests)
      add(test);
    drop_cut();
    return x_collector.take("KTAP");
  }

private:
  static std::string_view trimmed(std::string_view text)
  {
    size_t first = std::min(text.find_first_not_of(" \t#"), text.size());
    return text.substr(first);
  }

  // Levels are indented by two blanks or, as kselftest's runner does, by "# ". What comes out as a
  // comment is none.
  static size_t take_depth(std::string_view &text)
  {
    constexpr size_t deepest = 32;
    size_t depth = 0;
    while (depth < deepest && (text.starts_with("  ") || text.starts_with("# "))) {
      text.remove_prefix(2);
      depth++;
    }
    return depth;
  }

  void take_plan(std::string_view text, size_t depth)
  {
    size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    if (auto planned = parse_whole(text.substr(0, end)))
      x_levels[depth].planned = *planned;
  }

  // "not ok 3 - name # SKIP why"
  static std::optional<Test> parse_test(std::string_view text)
  {
    Test test;
    bool ok = text.starts_with("ok ");
    if (!ok && !text.starts_with("not ok "))
      return std::nullopt;
    text.remove_prefix(ok ? 3 : 7);
    size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || (digits < text.size() && text[digits] != ' '))
      return std::nullopt; // "ok, let us see"
    std::string_view number = text.substr(0, digits);
    text.remove_prefix(std::min(digits + 1, text.size()));
    test.outcome = ok ? Outcome::Passed : Outcome::Failed;
    size_t hash = text.find('#');
    if (hash != text.npos)
      take_directive(text.substr(hash + 1), test);
    take_name(text.substr(0, hash), number, test);
    return test;
  }

  static void take_name(std::string_view text, std::string_view number, Test &test)
  {
    if (text.starts_with("- "))
      text.remove_prefix(2);
    text = text.substr(0, text.find_last_not_of(" \t") + 1);
    // "ok 3 # SKIP name", as the kernel's kselftest.h prints it.
    if (text.empty() && !test.reason.empty())
      test.name = test.reason;
    else
      test.name = text.empty() ? "#" + std::string(number) : clean_name(text);
  }

  static void take_directive(std::string_view text, Test &test)
  {
    text = trimmed(text);
    size_t end = std::min(text.find(' '), text.size());
    std::string word(text.substr(0, end));
    for (char &c : word)
      c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (word == "SKIP")
      test.outcome = Outcome::Skipped;
    else if (word == "TODO" || word == "XFAIL")
      test.outcome = Outcome::Passed; // failing is what is expected of it
    else if (word != "TIMEOUT" && word != "ERROR")
      end = 0;
    std::string_view reason = text.substr(end);
    test.reason = clean_name(trimmed(reason));
    if (test.reason.empty() && test.outcome == Outcome::Failed)
      test.reason = word;
  }

  void take_test(Test test, size_t number)
  {
    for (auto level = x_levels.upper_bound(test.depth); level != x_levels.end();) {
      check_plan(level->first, test.name);
      level = x_levels.erase(level);
    }
    // What was deeper belongs to this one.
    for (size_t i = x_tests.size(); i-- > 0 && x_tests[i].depth > test.depth;) {
      x_tests[i].name = clean_name(test.name + "/" + x_tests[i].name);
      x_tests[i].depth = test.depth;
    }
    if (test.outcome == Outcome::Failed && test.reason.empty())
      test.reason = x_last_words;
    x_last_words.clear();
    x_levels[test.depth].seen++;
    if (x_tests.size() == result::most_benchmarks)
      throw input_error(fmt::format("{}: more than {} tests, at line {}", x_input,
                                    result::most_benchmarks, number));
    x_tests.push_back(std::move(test));
  }

  void check_plan(size_t depth, const std::string &of)
  {
    const Plan &plan = x_levels[depth];
    if (plan.planned && *plan.planned != plan.seen)
      x_collector.remark(fmt::format("{}{} tests planned, {} ran", of.empty() ? "" : of + ": ",
                                     *plan.planned, plan.seen));
  }

  // What something else was printed into the line of: "[   1.5] ok 3 - name", "ok name".
  void keep_cut(std::string_view text, size_t number)
  {
    constexpr size_t most = 1000;
    size_t at = std::min(text.find("not ok "), text.find("ok "));
    if (at == text.npos || (at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1]))) ||
        x_cut.size() == most)
      return;
    auto test = parse_test(text.substr(at));
    std::string_view bare = text.substr(text.find("ok ", at) + 3);
    x_cut.emplace_back(test ? test->name : clean_name(bare.substr(bare.starts_with("- ") ? 2 : 0)),
                       fmt::format("line {} is '{}'", number, printable(text, 60)));
  }

  // Of a test that the input has a line of, too, a line that is not understood is a result that is
  // lost; all else is prose.
  void drop_cut()
  {
    std::map<std::string, std::string> names; // by its own name, without its parents'
    for (const Test &test : x_tests)
      names.emplace(test.name.substr(test.name.rfind('/') + 1), test.name);
    for (const auto &[name, why] : x_cut)
      if (auto found = names.find(name); found != names.end())
        x_collector.drop(x_collector.benchmark(found->second), why);
  }

  // The same name twice is a test that ran twice: failed if it failed once.
  void add(const Test &test)
  {
    Benchmark &benchmark = x_collector.benchmark(test.name);
    if (test.outcome == Outcome::Skipped) {
      if (benchmark.metrics.empty()) {
        benchmark.status = Status::Skipped;
        benchmark.reason = test.reason;
      }
      return;
    }
    bool failed = test.outcome == Outcome::Failed;
    result::Metric &metric = x_collector.metric(
        benchmark, {.name = "failed", .kind = Class::Exact, .may_be_zero = true});
    bool before = !metric.samples.empty() && metric.samples[0][0] != 0;
    metric.samples = {{failed || before ? 1.0 : 0.0}};
    benchmark.status = failed || before ? Status::Failed : Status::Ok;
    if (failed) {
      benchmark.failure = "test";
      benchmark.reason = test.reason;
    }
  }

  Collector x_collector;
  std::string x_input;
  std::vector<Test> x_tests;
  std::map<size_t, Plan> x_levels;
  std::vector<std::pair<std::string, std::string>> x_cut; // names, and where
  std::string x_last_words;
  size_t x_versions = 0;
};

} // namespace

static const Register ktap(LineFormat{.name = "KTAP", .order = 1, .make = make<Ktap>});

} // namespace gate
