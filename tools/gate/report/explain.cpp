// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate explain ROW: from the report's JSON alone, so that a run can be asked long after.
#include "tools/gate/report/explain.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <cmath>
#include <optional>
#include <utility>

#include "tools/gate/judge/exact.h"
#include "tools/gate/report/functions.h"
#include "tools/gate/report/report.h"
#include "tools/gate/system/errors.h"
#include "tools/lib/json.h"
#include "tools/lib/text.h"

namespace gate
{

using result::json;

static std::optional<double> number(const json &row, const char *name)
{
  auto found = row.find(name);
  return found != row.end() && found->is_number() ? std::optional(found->get<double>())
                                                  : std::nullopt;
}

static std::string text(const json &row, const char *name)
{
  auto found = row.find(name);
  return found != row.end() && found->is_string() ? found->get<std::string>() : "";
}

namespace
{

// One row, with its figures as they are said.
class Explainer {
public:
  explicit Explainer(const json &row, double alpha) : x_row(row), x_alpha(alpha)
  {
    x_relative = text(row, "scale") != "difference";
    x_worse = text(row, "better") == "higher" ? "less" : "more";
    static const json empty = json::object();
    auto found = row.find("tests");
    x_tests = found != row.end() && found->is_object() ? &*found : &empty;
  }

  std::string paragraph() const
  {
    std::string verdict = text(x_row, "verdict");
    if (verdict.empty())
      return "It is not gated: shown for information, not judged." + note();
    return measured() + estimate() + reason(verdict) + reach(verdict) + drift() + note() +
           counted();
  }

private:
  std::string percent(double fraction) const
  {
    if (!x_relative)
      return fmt::format("{:+.4g} {}", fraction,
                         text(x_row, "class") == "ratio" ? "points" : text(x_row, "unit"));
    return fmt::format("{:+.2f} %", 100 * fraction);
  }

  std::string loads() const
  {
    auto base = x_row.value("base_loads", json(0)), comp = x_row.value("comp_loads", json(0));
    return base == comp ? result::json_text(base)
                        : result::json_text(base) + " and " + result::json_text(comp);
  }

  std::string measured() const
  {
    std::string method = text(x_row, "method");
    if (method == "ab")
      return fmt::format("{} pairs were measured back to back, each side fresh in each pair, which "
                         "side came first drawn by lot.",
                         loads());
    if (method == "tail")
      return fmt::format("The slowest epoch of each of {} fresh loads a side, measured back to "
                         "back, stands for the tail.",
                         loads());
    if (method == "stored")
      return fmt::format("The two sides were measured apart: {} loads. What drifted in between "
                         "counts as change.",
                         loads());
    if (method == "prediction")
      return fmt::format(
          "It was measured alone, in {} loads, and set against where earlier accepted "
          "runs say that one more run of this machine lies (the note says how many, "
          "and how widely they scatter).",
          result::json_text(x_row.value("comp_loads", json(0))));
    if (method == "exact")
      return exact_rule();
    return "It was not compared.";
  }

  std::string exact_rule() const
  {
    std::string said = "It is exact: no noise is expected, so there is no test, and any change "
                       "beyond the tolerance of " +
                       tolerance() + " counts.";
    auto spread = number(x_row, "spread");
    return spread ? said + fmt::format(" The loads of each side ({}) differ among themselves, "
                                       "together by {}, and the tolerance is never less.",
                                       loads(), percent(*spread))
                  : said;
  }

  std::string estimate() const
  {
    std::string said;
    auto base = number(x_row, "base"), comp = number(x_row, "comp");
    std::string unit = text(x_row, "unit");
    if (base && comp)
      said +=
          fmt::format(" Base {}, comp {}.", format_figure(*base, unit), format_figure(*comp, unit));
    auto change = number(x_row, "change");
    if (!change)
      return said;
    said += fmt::format(" The change is {}", percent(*change));
    const json interval = x_row.value("interval", json());
    auto level = number(x_row, "level");
    if (!interval.is_array() || interval.size() != 2 || !level)
      return said + ".";
    auto end = [&](const json &bound, const char *infinite) {
      return bound.is_number() ? percent(bound.get<double>()) : infinite;
    };
    return said + fmt::format(", and with an error of at most {:.2g} on either side it lies "
                              "between {} and {}.",
                              *level, end(interval[0], "anything less"),
                              end(interval[1], "anything more"));
  }

  std::string tolerance() const
  {
    auto tolerance = number(x_row, "tolerance");
    return tolerance ? percent(*tolerance) : "the tolerance";
  }

  // Which test the p-value comes from.
  const char *rule() const
  {
    std::string method = text(x_row, "method");
    if (method == "prediction")
      return "Student's t";
    if (method == "tail")
      return "exact bounds of a quantile";
    bool pairs = method == "ab" && text(x_row, "class") == "time";
    return pairs ? "randomisation test" : "exact intervals of both medians";
  }

  std::string p_sentence(const char *name, std::optional<double> limit) const
  {
    auto p = number(*x_tests, name);
    if (!p || !limit)
      return "";
    return fmt::format(" If that were not so, figures like these would come up with probability "
                       "{:.2g} at most ({}); allowed are {:.2g}.",
                       *p, rule(), *limit);
  }

  std::string family() const
  {
    auto rows = number(*x_tests, "family");
    if (!rows)
      return "";
    return fmt::format(" That limit is the run's alpha of {:g} shared among {} rows (Holm), so "
                       "that no row of the run is a false alarm with probability {:g}.",
                       x_alpha, *rows, 1 - x_alpha);
  }

  std::string reason(const std::string &verdict) const
  {
    bool exact = text(x_row, "method") == "exact";
    if (verdict == "regressed" && exact)
      return " It changed for the worse.";
    if (verdict == "regressed")
      return fmt::format(" Regressed: it is worse by more than the tolerance of {} ({} is worse "
                         "here).",
                         tolerance(), x_worse) +
             p_sentence("p_worse", number(*x_tests, "level")) + family();
    if (verdict == "improved")
      return exact ? " It changed for the better."
                   : fmt::format(" Improved: it is better by more than the tolerance of {}.",
                                 tolerance()) +
                         p_sentence("p_better", number(x_row, "level"));
    if (verdict == "unchanged")
      return exact ? " It did not change by more than that."
                   : fmt::format(" Unchanged: it is proven not to be worse by {} or more.",
                                 tolerance()) +
                         p_sentence("p_not_worse", number(*x_tests, "proof_level"));
    if (verdict == "inconclusive")
      return inconclusive();
    return verdict == "waived" ? waived() : other(verdict);
  }

  std::string inconclusive() const
  {
    auto worse = number(*x_tests, "p_worse"), sound = number(*x_tests, "p_not_worse");
    auto level = number(*x_tests, "level"), proof = number(*x_tests, "proof_level");
    if (!worse || !sound || !level || !proof)
      return " Inconclusive: neither a change nor its absence is shown.";
    std::string said = fmt::format(
        " Inconclusive: that it is worse by more than {} has p = {:.2g} and needs {:.2g}; that it "
        "is not has p = {:.2g} and needs {:.2g}.",
        tolerance(), *worse, *level, *sound, *proof);
    auto units = number(*x_tests, "units_needed");
    if (units)
      said += fmt::format(" With noise like this about {} units a side would decide: --units or "
                          "--pairs.",
                          *units);
    return said;
  }

  std::string waived() const
  {
    const json waived = x_row.value("waived", json());
    if (!waived.is_object())
      return " Waived: somebody answers for it.";
    return fmt::format(" Waived: it is {}, for which {} answers until {}: {}.",
                       text(waived, "verdict"), text(waived, "owner"), text(waived, "until"),
                       text(waived, "reason"));
  }

  static std::string other(const std::string &verdict)
  {
    if (verdict == "new")
      return " New: there is nothing to compare it with, which fails nothing.";
    if (verdict == "missing")
      return " Missing: the base has it and this run does not. What is not measured cannot pass.";
    if (verdict == "invalid")
      return " Invalid: a sample is no measurement, or the work was not done. That is no slowdown "
             "and no pass.";
    if (verdict == "incomparable")
      return " Incomparable: the two sides are not the same measurement, or were not on the same "
             "host, so what differs says nothing about the code.";
    return fmt::format(" The verdict is {}.", verdict);
  }

  std::string reach(const std::string &verdict) const
  {
    auto mde = number(x_row, "mde");
    if (!mde)
      return verdict == "unchanged" || verdict == "inconclusive"
                 ? " This run could not have seen any change, however large."
                 : "";
    return fmt::format(" Nine of ten such runs would have seen a change for the worse of {}.",
                       percent(*mde));
  }

  std::string drift() const
  {
    const json drift = x_row.value("drift", json());
    auto change = drift.is_object() ? number(drift, "change") : std::nullopt;
    if (!change)
      return "";
    return fmt::format(" Since {} it has changed by {}; the budget is {:g} %.",
                       text(drift, "anchor"), percent(*change),
                       100 * number(drift, "budget").value_or(0));
  }

  // What has a verdict and does not count.
  std::string counted() const
  {
    if (x_row.value("gated", json(true)) != json(false))
      return "";
    if (text(x_row, "method") == "tail")
      return " This is the slow end of the epochs; it fails the gate only with --gate-tail.";
    return " It is not gated: no verdict of the run rests on it alone.";
  }

  std::string note() const
  {
    std::string said = text(x_row, "note");
    return said.empty() ? "" : fmt::format(" Note: {}.", said);
  }

  const json &x_row;
  const json *x_tests;
  double x_alpha;
  bool x_relative;
  const char *x_worse;
};

} // namespace

static std::string benchmark_of(const json &row)
{
  std::string title = text(row, "name");
  const json parameters = row.value("parameters", json::object());
  for (const auto &[name, value] : parameters.items())
    title += fmt::format(" {}={}", name,
                         value.is_string() ? value.get<std::string>() : result::json_text(value));
  return title;
}

static std::string title(const json &row) { return benchmark_of(row) + " " + text(row, "metric"); }

static bool is_wanted(const std::string &title, const std::string &wanted)
{
  return title.find(wanted) != title.npos || fnmatch(wanted.c_str(), title.c_str(), 0) == 0 ||
         fnmatch(wanted.c_str(), title.substr(0, title.find(' ')).c_str(), 0) == 0;
}

// In which functions the benchmark of this row changed; "" for what is not counted.
static std::string where(const json &report, const json &row)
{
  std::string unit = text(row, "unit"), verdict = text(row, "verdict");
  bool counted = unit == count_unit || unit == event_unit;
  bool compared = verdict == "regressed" || verdict == "improved" || verdict == "unchanged";
  if (!counted || !compared)
    return "";
  return fmt::format("\n{}: {}", benchmark_of(row),
                     functions_text(to_value(report.value("functions", json::array())),
                                    text(row, "name"),
                                    to_value(row.value("parameters", json::object()))));
}

std::string explain_rows(const json &report, const std::string &wanted)
{
  if (!report.is_object() || text(report, "schema") != "bpfgate-report" ||
      !report.contains("rows") || !report["rows"].is_array())
    throw usage_error("this is no report of gate (--json of check, compare or ab writes one)");
  std::string said, functions; // of a benchmark, told behind its last row
  std::vector<std::string> names;
  for (const json &row : report["rows"]) {
    names.push_back(text(row, "name"));
    if (!row.is_object() || !is_wanted(title(row), wanted))
      continue;
    std::string verdict = text(row, "verdict"), of_row = where(report, row);
    if (!of_row.empty() && of_row != functions)
      said += std::exchange(functions, of_row);
    said += fmt::format("{}{}: {}\n{}\n", said.empty() ? "" : "\n", title(row),
                        verdict.empty() ? "not gated" : verdict,
                        Explainer(row, number(report, "alpha").value_or(0.01)).paragraph());
  }
  if (!said.empty())
    return said + functions;
  auto near = nearest_name(wanted, names);
  throw usage_error(fmt::format("no row of this report is called '{}'{}", wanted,
                                near ? fmt::format(": '{}'?", *near) : ""));
}

} // namespace gate
