// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/measure/vm_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/statistics/statistics.h"

namespace gate
{

using result::Benchmark;
using result::Metric;
using result::Result;
using result::Status;

// What differs from boot to boot and says nothing: the clock is made up, the load is the guest's.
static Value common_environment(const Boot &boot)
{
  Value environment = boot.result.environment;
  environment.erase("load");
  if (Value *vm = environment.find("vm"))
    vm->erase("seed");
  return environment;
}

static void check_same_run(const Boot &first, const Boot &other)
{
  auto seeds = fmt::format("the boots with seeds {} and {}", first.seed, other.seed);
  Differences differences =
      compare_environments(common_environment(first), common_environment(other));
  for (const auto *lines : {&differences.refused, &differences.warned})
    if (!lines->empty())
      throw merge_error(fmt::format("{} differ: {}", seeds, joined(*lines)));
  const auto &one = first.result.benchmarks, &two = other.result.benchmarks;
  if (!std::equal(one.begin(), one.end(), two.begin(), two.end(),
                  [](const Benchmark &a, const Benchmark &b) {
                    return result::benchmark_key(a) == result::benchmark_key(b);
                  }))
    throw merge_error(seeds + " measured different benchmarks");
}

static std::vector<double> all_samples(const Metric &metric)
{
  std::vector<double> samples;
  for (const std::vector<double> &load : metric.samples)
    samples.insert(samples.end(), load.begin(), load.end());
  return samples;
}

static Benchmark failed(Benchmark benchmark, const std::string &why)
{
  benchmark.status = Status::Failed;
  benchmark.reason = why;
  benchmark.metrics.clear();
  benchmark.functions.clear();
  return benchmark;
}

static bool same_metrics(const Benchmark &one, const Benchmark &other)
{
  return std::equal(one.metrics.begin(), one.metrics.end(), other.metrics.begin(),
                    other.metrics.end(), [](const Metric &a, const Metric &b) {
                      return a.name == b.name && a.unit == b.unit &&
                             a.samples.empty() == b.samples.empty();
                    });
}

// Why the same benchmark of two boots is no sample of the same thing; empty: it is one.
static std::string difference(const Benchmark &first, const Benchmark &other)
{
  if (other.status != Status::Ok)
    return fmt::format("{}: {}", to_string(other.status), other.reason);
  if (first.definition != other.definition || first.bytecode != other.bytecode ||
      first.base_bytecode != other.base_bytecode)
    return "its program is another one than in the first boot";
  return same_metrics(first, other) ? "" : "it has other figures than in the first boot";
}

// One figure a boot, the median of its loads; 0 where it has none of this.
static std::vector<result::Function> merge_functions(const std::vector<Boot> &boots, size_t index)
{
  std::map<std::string, result::Function> merged;
  for (size_t boot = 0; boot < boots.size(); boot++)
    for (const result::Function &function : boots[boot].result.benchmarks[index].functions)
      for (const auto &[event, loads] : function.events) {
        std::vector<double> &figures = merged[function.name].events[event];
        figures.resize(boots.size());
        figures[boot] = median(loads);
      }
  std::vector<result::Function> functions;
  for (auto &[name, function] : merged) {
    function.name = name;
    functions.push_back(std::move(function));
  }
  return functions;
}

static Benchmark merge_benchmark(const std::vector<Boot> &boots, size_t index)
{
  Benchmark merged = boots[0].result.benchmarks[index];
  auto of = [&](const Boot &boot) -> const Benchmark & { return boot.result.benchmarks[index]; };
  if (std::all_of(boots.begin(), boots.end(),
                  [&](const Boot &boot) { return of(boot).status == Status::Skipped; }))
    return merged;
  for (const Boot &boot : boots)
    if (std::string why = difference(merged, of(boot)); !why.empty())
      return failed(std::move(merged), fmt::format("seed {}: {}", boot.seed, why));
  for (size_t i = 0; i < merged.metrics.size(); i++) {
    if (merged.metrics[i].samples.empty())
      continue;
    merged.metrics[i].samples.clear();
    for (const Boot &boot : boots)
      merged.metrics[i].samples.push_back(all_samples(of(boot).metrics[i]));
  }
  merged.functions = merge_functions(boots, index);
  return merged;
}

Result merge_boots(const std::vector<Boot> &boots)
{
  for (const Boot &boot : boots)
    check_same_run(boots.at(0), boot);
  Result merged = boots.at(0).result;
  merged.environment = common_environment(boots[0]);
  for (const Boot &boot : boots)
    merged.environment["vm"]["seeds"].push_back(boot.seed);
  for (size_t i = 0; i < merged.benchmarks.size(); i++)
    merged.benchmarks[i] = merge_benchmark(boots, i);
  return merged;
}

} // namespace gate
