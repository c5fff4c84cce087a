// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The reports that the kernel's bench knows, with the same lines, and what they say in JSON.
#pragma once

#include "tools/bench/bench.h"

namespace bench
{

// Throughput and latency of ops. scale and unit as printed: 'M' and "ns", or 'K' and "ms".
std::shared_ptr<const Report> ops_report(char scale = 'M', const char *unit = "ns");

// Hits, drops and all operations per second.
std::shared_ptr<const Report> hits_drops_report();

// False positives among all operations, counted as the kernel's bench counts them, and the true
// rate, false positives among lookups of absent keys, against its formula.
std::shared_ptr<const Report> false_positive_report();

// Ops of 64 elements per producer, and memory.
std::shared_ptr<const Report> htab_mem_report();

// Mean and sample standard deviation (n - 1; 0 for one value).
struct MeanStddev {
  double mean = 0, stddev = 0;
};
MeanStddev mean_stddev(const std::vector<double> &values);

// ns per op of one producer, by the same clock as Sample::hit_rate. NaN where nothing was done.
double latency_ns(const Sample &sample);

// The metric that every benchmark is gated on: ns per op, one list of samples per load.
result::Metric latency_metric(const std::vector<std::vector<Sample>> &loads);

// latency_metric(), hits per second, and latency_net where there is a base: what most benchmarks
// have.
std::vector<result::Metric> time_metrics(const std::vector<std::vector<Sample>> &loads);

// --net: latency less that of the same loop and keys without the op, measured in the same load.
// NaN where the benchmark has no base.
double net_latency_ns(const Sample &sample);

// A metric whose sample values come from a function; NaN where a sample has none.
result::Metric make_metric(const char *name, const char *unit, result::Better better,
                           result::Class kind, bool gated,
                           const std::vector<std::vector<Sample>> &loads,
                           const std::function<double(const Sample &)> &value);

} // namespace bench
