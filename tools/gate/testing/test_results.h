// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Results made up for the unit tests.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tools/gate/judge/verdict.h"
#include "tools/lib/result.h"

namespace gate
{

// A standard normal by the sum of twelve, the same with every standard library.
class Noise {
public:
  explicit Noise(uint64_t seed) : x_random(seed) {}
  double operator()()
  {
    double sum = -6;
    for (int i = 0; i < 12; i++)
      sum += static_cast<double>(x_random() >> 11) / 0x1p53;
    return sum;
  }

private:
  std::mt19937_64 x_random;
};

// A row that the figures say this of: regressed, improved, unchanged or inconclusive.
inline Row judged(Row row, Verdict verdict)
{
  if (verdict == Verdict::Regressed)
    found(row, "worse");
  else if (verdict == Verdict::Improved)
    found(row, "better");
  else if (verdict == Verdict::Unchanged)
    found(row, "not-worse");
  return row;
}

// One sample a load, around center by that share.
inline std::vector<std::vector<double>> loads_around(double center, size_t loads = 20,
                                                     double spread = 0.01, uint64_t seed = 1)
{
  std::mt19937_64 random(seed);
  std::vector<std::vector<double>> samples;
  for (size_t i = 0; i < loads; i++)
    samples.push_back({center * (1 + spread * (static_cast<double>(random() >> 11) / 0x1p52 - 1))});
  return samples;
}

inline result::Metric time_metric(std::vector<std::vector<double>> samples)
{
  return {.name = "latency", .unit = "ns/op", .gated = true, .samples = std::move(samples)};
}

inline result::Benchmark one_benchmark(const std::string &name, result::Metric metric)
{
  return {.name = name, .bytecode = "a1", .metrics = {std::move(metric)}};
}

inline result::Result one_result(std::vector<result::Benchmark> benchmarks)
{
  result::Result result;
  result.tool = {"bench", "0.1.0", "1a"};
  result.environment = {{"cpu_model", "A"}, {"cpus", 2}, {"arch", "x86_64"}, {"kernel", "6.1"}};
  result.benchmarks = std::move(benchmarks);
  return result;
}

inline result::Result time_result(std::vector<std::vector<double>> samples)
{
  return one_result({one_benchmark("lookup", time_metric(std::move(samples)))});
}

} // namespace gate
