// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/commands/check_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/system/git.h"
#include "tools/gate/system/interrupt.h"

namespace gate
{

using result::Benchmark;
using result::Metric;

static Judgements judgements_of(const Report &report)
{
  Judgements judgements;
  for (const Row &row : report.rows)
    if (row.gated)
      judgements[{result::benchmark_key({.name = row.name, .parameters = row.parameters}),
                  row.metric}] = {to_string(row.verdict), row.change};
  return judgements;
}

static std::string names_of(const Report &report, Verdict verdict)
{
  constexpr size_t most = 3;
  std::string names;
  size_t count = 0;
  for (const Row &row : report.rows)
    if (row.gated && row.verdict == verdict && ++count <= most)
      names += (names.empty() ? "" : ", ") + row.name;
  return count > most ? fmt::format("{} and {} more", names, count - most) : names;
}

// Empty: it is accepted.
static std::string objection(const Report &report)
{
  if (report.policy.advisory)
    return "compared with another machine";
  if (!report.untrusted.empty())
    return "this host is not trusted: gate selftest --aa";
  for (Verdict verdict : {Verdict::Regressed, Verdict::Waived, Verdict::Invalid, Verdict::Missing,
                          Verdict::Incomparable})
    if (std::string names = names_of(report, verdict); !names.empty())
      return fmt::format("{}: {}", to_string(verdict), names);
  auto compared = [](const Row &row) { return row.gated && !row.method.empty(); };
  bool any = std::any_of(report.rows.begin(), report.rows.end(), compared);
  return any ? "" : "nothing was compared";
}

static bool has_figures(const Benchmark &benchmark)
{
  return std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(),
                     [](const Metric &metric) { return !metric.samples.empty(); });
}

std::string keep_checked(const Store &store, const Report &report, Run run,
                         const std::string &executable, const result::Result &figures)
{
  if (std::none_of(figures.benchmarks.begin(), figures.benchmarks.end(), has_figures))
    return "";
  std::string why = objection(report);
  run.command = "check";
  run.time = figures.started;
  run.accepted = why.empty();
  run.reason = why.empty() ? "checked" : why;
  run.revision = figures.tool.revision;
  run.merge_base = merge_base(run.base_revision, run.revision);
  try {
    int64_t id =
        Store(store).keep(std::move(run), executable, figures, judgements_of(report), false).run;
    return why.empty() ? fmt::format("kept as run {}", id)
                       : fmt::format("kept as run {}, not accepted ({}); if it is wanted: gate "
                                     "baseline accept {} --reason TEXT",
                                     id, why, id);
  } catch (const interrupted_error &) {
    throw;
  } catch (const std::runtime_error &failure) {
    return fmt::format("not kept in the history: {}", failure.what());
  }
}

} // namespace gate
