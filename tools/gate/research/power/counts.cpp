// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/power/counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/gate/judge/compare.h"
#include "tools/gate/measure/vm_boots.h"
#include "tools/gate/research/power/markdown.h"
#include "tools/lib/progress.h"

namespace power
{

using gate::Verdict;
using result::Result;

// All boots of one kernel and effect. Seeds count from 1, so the first ones are those of the
// baseline: they are measured only where a baseline is wanted of them, and dropped elsewhere.
static Result boots_of(const CountOptions &options, const std::string &kernel, double effect)
{
  gate::BootPlan plan = {.vmtest = options.vmtest,
                         .bench = options.bench,
                         .kernel = kernel,
                         .bench_arguments = options.bench_arguments,
                         .seeds = options.baseline + options.boots,
                         .jobs = options.jobs,
                         .timeout_s = std::nullopt};
  if (effect > 0)
    plan.bench_arguments.insert(plan.bench_arguments.end(),
                                {"--inject", fmt::format("*={}%", 100 * effect)});
  return gate::count_instructions(plan);
}

// The boots from begin on, as a result of their own.
static Result part_of(Result boots, size_t begin, size_t count)
{
  for (result::Benchmark &benchmark : boots.benchmarks)
    for (result::Metric &metric : benchmark.metrics)
      if (metric.samples.size() >= begin + count)
        metric.samples = {metric.samples.begin() + begin, metric.samples.begin() + begin + count};
  return boots;
}

// Anchors are not slowed by --inject; memory and rates are no counts.
static bool is_counted_op(const gate::Row &row)
{
  return row.gated && row.unit == gate::count_unit && !row.name.starts_with("anchor-");
}

namespace
{

struct Found {
  Share slower;                   // among all rows that were compared
  std::vector<std::string> other; // rows that were not called slower, or could not be compared
};

} // namespace

static Found judge_boots(const Result &base, const Result &boots, const CountOptions &options)
{
  Found found;
  for (size_t i = 0; i < options.boots; i++) {
    Result comp = part_of(boots, options.baseline + i, 1);
    std::vector<gate::Candidate> candidates = gate::match_rows(base, comp, {.counted = true});
    gate::judge(candidates, .01, .01);
    for (const gate::Row &row : rows_of(std::move(candidates))) {
      bool is_compared = row.verdict != Verdict::Invalid && row.verdict != Verdict::Missing &&
                         row.verdict != Verdict::Incomparable;
      if (!is_counted_op(row))
        continue;
      if (is_compared)
        found.slower.add(row.verdict == Verdict::Regressed);
      if (row.verdict != Verdict::Regressed)
        found.other.push_back(fmt::format("{} ({})", row.name, to_string(row.verdict)));
    }
  }
  std::sort(found.other.begin(), found.other.end());
  found.other.erase(std::unique(found.other.begin(), found.other.end()), found.other.end());
  return found;
}

int print_counts(const CountOptions &options)
{
  Progress progress("boots");
  std::vector<double> effects = {0};
  effects.insert(effects.end(), options.effects.begin(), options.effects.end());
  std::string table = head({"kernel", "injected", "called slower", "not called slower"});
  size_t done = 0, total = options.kernels.size() * effects.size();
  for (const std::string &kernel : options.kernels) {
    Result base;
    for (double effect : effects) {
      progress.show(done++, total, fmt::format("{}: +{:g} %", kernel, 100 * effect));
      Result boots = boots_of(options, kernel, effect);
      if (effect == 0)
        base = part_of(boots, 0, options.baseline);
      Found found = judge_boots(base, boots, options);
      const Share &slower = found.slower;
      table +=
          effect == 0
              ? line({kernel, "nothing", rate(slower), "-"})
              : line({kernel, fmt::format("+{:g} %", 100 * effect),
                      fmt::format("{} of {}", slower.hits, slower.trials),
                      found.other.empty() ? "-" : fmt::format("{}", fmt::join(found.other, ", "))});
    }
  }
  progress.clear();
  fmt::print("{}", table);
  return 0;
}

} // namespace power
