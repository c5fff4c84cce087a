// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate explain ROW: from the report alone, so that a run can be asked long after.
#include "tools/gate/report/explain.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <cmath>
#include <utility>

#include "tools/gate/judge/exact.h"
#include "tools/gate/judge/row_name.h"
#include "tools/gate/report/functions.h"
#include "tools/gate/report/report.h"
#include "tools/gate/report/writing.h"
#include "tools/gate/system/errors.h"
#include "tools/lib/text.h"

namespace gate
{

namespace
{

// How a row was measured: what is said around the number of loads, and which test its p-values come
// from.
struct Way {
  std::string_view method;
  const char *before, *after, *test;
};

constexpr const char *medians = "exact intervals of both medians";
constexpr Way ways[] = {
    {"ab", "",
     " pairs were measured back to back, each side fresh in each pair, which side came first drawn "
     "by lot.",
     "randomisation test"},
    {"tail", "The slowest epoch of each of ",
     " fresh loads a side, measured back to back, stands for the tail.",
     "exact bounds of a quantile"},
    {"stored", "The two sides were measured apart: ",
     " loads. What drifted in between counts as change.", medians},
    {"prediction", "It was measured alone, in ",
     " loads, and set against where earlier accepted runs say that one more run of this machine "
     "lies (the note says how many, and how widely they scatter).",
     "Student's t"},
    {"", "It was not compared", ".", medians},
};

// One row, with its figures as they are said.
class Explainer {
public:
  Explainer(const Row &row, double alpha)
      : x_row(row), x_tests(row.tests.value_or(Tests())), x_alpha(alpha), x_way(std::begin(ways))
  {
    while (x_way->method != row.method && !x_way->method.empty())
      x_way++;
  }

  std::string paragraph() const
  {
    if (!x_row.gated && !x_row.secondary)
      return "It is not gated: shown for information, not judged." + note();
    return measured() + estimate() + reason() + reach() + drift() + note() + counted();
  }

private:
  std::string percent(double change) const
  {
    if (!x_row.relative)
      return fmt::format("{:+.4g} {}", change,
                         x_row.kind == result::Class::Ratio ? "points" : x_row.unit);
    return fmt::format("{:+.2f} %", 100 * change);
  }
  std::string tolerance() const { return percent(x_row.tolerance); }
  bool is_exact() const { return x_row.method == "exact"; }

  std::string measured() const
  {
    if (is_exact())
      return exact_rule();
    std::string loads = x_row.method == "prediction" ? std::to_string(x_row.comp_loads)
                        : x_way->method.empty()      ? ""
                                                     : format_loads(x_row);
    return x_way->before + loads + x_way->after;
  }

  std::string exact_rule() const
  {
    std::string said = "It is exact: no noise is expected, so there is no test, and any change "
                       "beyond the tolerance of " +
                       tolerance() + " counts.";
    return x_row.spread ? said + fmt::format(" The loads of each side ({}) differ among "
                                             "themselves, together by {}, and the tolerance is "
                                             "never less.",
                                             format_loads(x_row), percent(*x_row.spread))
                        : said;
  }

  std::string estimate() const
  {
    std::string said;
    if (x_row.base && x_row.comp)
      said += fmt::format(" Base {}, comp {}.", format_figure(*x_row.base, x_row.unit),
                          format_figure(*x_row.comp, x_row.unit));
    if (!x_row.change)
      return said;
    said += fmt::format(" The change is {}", percent(*x_row.change));
    if (!x_row.interval || x_row.level <= 0)
      return said + ".";
    auto end = [&](double bound, const char *infinite) {
      return std::isfinite(bound) ? percent(bound) : infinite;
    };
    return said + fmt::format(", and with an error of at most {:.2g} on either side it lies "
                              "between {} and {}.",
                              x_row.level, end(x_row.interval->low, "anything less"),
                              end(x_row.interval->high, "anything more"));
  }

  std::string p_sentence(double p, double limit) const
  {
    if (!x_row.tests)
      return "";
    // Memory and ratios of pairs are compared as files are.
    bool has_own = x_row.method != "ab" || x_row.kind == result::Class::Time;
    return fmt::format(" If that were not so, figures like these would come up with probability "
                       "{:.2g} at most ({}); allowed are {:.2g}.",
                       p, has_own ? x_way->test : medians, limit);
  }

  std::string family() const
  {
    if (!x_row.tests)
      return "";
    return fmt::format(" That limit is the run's alpha of {:g} shared among {} rows (Holm), so "
                       "that no row of the run is a false alarm with probability {:g}.",
                       x_alpha, x_tests.family, 1 - x_alpha);
  }

  std::string reason() const
  {
    switch (x_row.verdict) {
    case Verdict::Regressed:
      if (is_exact())
        return " It changed for the worse.";
      return fmt::format(" Regressed: it is worse by more than the tolerance of {} ({} is worse "
                         "here).",
                         tolerance(), x_row.better == result::Better::Higher ? "less" : "more") +
             p_sentence(x_tests.p_worse, x_tests.level) + family();
    case Verdict::Improved:
      if (is_exact())
        return " It changed for the better.";
      return fmt::format(" Improved: it is better by more than the tolerance of {}.", tolerance()) +
             p_sentence(x_tests.p_better, x_row.level);
    case Verdict::Unchanged:
      if (is_exact())
        return " It did not change by more than that.";
      return fmt::format(" Unchanged: it is proven not to be worse by {} or more.", tolerance()) +
             p_sentence(x_tests.p_not_worse, x_tests.proof_level);
    case Verdict::Inconclusive:
      return inconclusive();
    case Verdict::Waived:
      return waived();
    case Verdict::New:
      return " New: there is nothing to compare it with, which fails nothing.";
    case Verdict::Missing:
      return " Missing: the base has it and this run does not. What is not measured cannot pass.";
    case Verdict::Invalid:
      return " Invalid: a sample is no measurement, or the work was not done. That is no slowdown "
             "and no pass.";
    case Verdict::Incomparable:
      break;
    }
    return " Incomparable: the two sides are not the same measurement, or were not on the same "
           "host, so what differs says nothing about the code.";
  }

  std::string inconclusive() const
  {
    if (!x_row.tests)
      return " Inconclusive: neither a change nor its absence is shown.";
    std::string said = fmt::format(
        " Inconclusive: that it is worse by more than {} has p = {:.2g} and needs {:.2g}; that it "
        "is not has p = {:.2g} and needs {:.2g}.",
        tolerance(), x_tests.p_worse, x_tests.level, x_tests.p_not_worse, x_tests.proof_level);
    if (x_tests.units_needed)
      said += fmt::format(" With noise like this about {} units a side would decide: --units or "
                          "--pairs.",
                          *x_tests.units_needed);
    return said;
  }

  std::string waived() const
  {
    if (!x_row.waived)
      return " Waived: somebody answers for it.";
    const Waived &waived = *x_row.waived;
    return fmt::format(" Waived: it is {}, for which {} answers until {}: {}.",
                       to_string(waived.verdict), waived.owner, waived.until, waived.reason);
  }

  std::string reach() const
  {
    bool is_open = x_row.verdict == Verdict::Unchanged || x_row.verdict == Verdict::Inconclusive;
    if (!x_row.mde)
      return is_open ? " This run could not have seen any change, however large." : "";
    return fmt::format(" Nine of ten such runs would have seen a change for the worse of {}.",
                       percent(*x_row.mde));
  }

  std::string drift() const
  {
    if (!x_row.drift)
      return "";
    return fmt::format(" Since {} it has changed by {}; the budget is {:g} %.", x_row.drift->anchor,
                       percent(x_row.drift->change), 100 * x_row.drift->budget);
  }

  // What has a verdict and does not count.
  std::string counted() const
  {
    if (x_row.gated)
      return "";
    if (x_row.method == "tail")
      return " This is the slow end of the epochs; it fails the gate only with --gate-tail.";
    return " It is not gated: no verdict of the run rests on it alone.";
  }

  std::string note() const
  {
    return x_row.note.empty() ? "" : fmt::format(" Note: {}.", x_row.note);
  }

  const Row &x_row;
  Tests x_tests; // where the row has some
  double x_alpha;
  const Way *x_way;
};

} // namespace

static bool is_wanted(const std::string &title, const std::string &name, const std::string &wanted)
{
  return title.find(wanted) != title.npos || fnmatch(wanted.c_str(), title.c_str(), 0) == 0 ||
         fnmatch(wanted.c_str(), name.c_str(), 0) == 0;
}

// In which functions the benchmark of this row changed; "" for what is not counted.
static std::string where(const Report &report, const Row &row)
{
  bool counted = row.unit == count_unit || row.unit == event_unit;
  bool compared = row.verdict == Verdict::Regressed || row.verdict == Verdict::Improved ||
                  row.verdict == Verdict::Unchanged;
  if (!counted || !compared)
    return "";
  return fmt::format("\n{}: {}", row_text(row.name, row.parameters, ""),
                     functions_text(report.functions, row.name, row.parameters));
}

std::string explain_rows(const Report &report, const std::string &wanted)
{
  std::string said, functions; // of a benchmark, told behind its last row
  std::vector<std::string> names;
  for (const Row &row : report.rows) {
    std::string title = row_title(row);
    names.push_back(row.name);
    if (!is_wanted(title, row.name, wanted))
      continue;
    std::string of_row = where(report, row);
    if (!of_row.empty() && of_row != functions)
      said += std::exchange(functions, of_row);
    said += fmt::format("{}{}: {}\n{}\n", said.empty() ? "" : "\n", title,
                        row.gated || row.secondary ? to_string(row.verdict) : "not gated",
                        Explainer(row, report.alpha).paragraph());
  }
  if (!said.empty())
    return said + functions;
  auto near = nearest_name(wanted, names);
  throw usage_error(fmt::format("no row of this report is called '{}'{}", wanted,
                                near ? fmt::format(": '{}'?", *near) : ""));
}

} // namespace gate
