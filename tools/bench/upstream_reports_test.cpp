// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The lines of single families, byte for byte, and that gate reads the figures out of them that
// went in.
#include "tools/bench/upstream_reports.h"

#include "tools/bench/per_cpu_rates.h"
#include "tools/gate/readers/upstream_lines.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench;

namespace
{

// 1,000 hits of which 250 are important, in a microsecond of each of 2 producers.
Sample sample()
{
  Sample one;
  one.producers = 2;
  one.interval_ns = 1e9;
  one.counts.hits = 1000;
  one.counts.absent = 250;
  one.hit_rate = 0.5;
  one.readings = {{"cpu1", 0.25},     {"cpu12", 0.125},  {"sent", 3e6},   {"sends", 30},
                  {"processed", 2e6}, {"received", 1e6}, {"receives", 10}};
  return one;
}

double figure(const std::string &line, size_t index)
{
  auto parsed = gate::parse_upstream_line(line);
  expect(parsed && parsed->figures.size() > index, "gate does not read '" + line + "'");
  return parsed->figures[index].second;
}

} // namespace

TEST(report_of_local_storage)
{
  auto report = local_storage_report();
  std::string iter = report->iter(3, 1.5, sample()), summary = report->summary({sample()});
  expect_eq(iter, std::string("Iter   3 (  1.500us): hits  500.000M/s important_hits  125.000M/s"));
  expect_eq(summary, std::string("Summary: hits throughput  500.000 ± 0.000 M ops/s, hits latency "
                                 "   4.000 ns/op, important_hits throughput  125.000 ± 0.000 M "
                                 "ops/s"));
  expect(gate::parse_upstream_line(iter).has_value(), iter);
  expect(figure(summary, 0) > 0);
}

TEST(report_of_storages_created)
{
  auto report = storage_create_report();
  std::string iter = report->iter(0, -2, sample()), summary = report->summary({sample(), sample()});
  expect_eq(iter, std::string("Iter   0 ( -2.000us): creates 500000.000k/s (250000.000k/prod)"));
  expect_eq(summary, std::string("Summary: creates 500000.000 ± 0.000k/s (250000.000k/prod), 2000 "
                                 "total"));
  expect_eq(figure(summary, 0), 500000.0);
}

TEST(report_of_cpus)
{
  expect_eq(full_update_report()->iter(0, 0, sample()), std::string(""));
  expect_eq(full_update_report()->summary({sample()}),
            std::string("1:hash_map_full_perf 250000000 events per sec\n"
                        "12:hash_map_full_perf 125000000 events per sec"));
  auto lookup = lookup_report();
  Sample other = sample();
  other.readings["cpu1"] = 0.35;
  std::string first = "cpu01: lookup 300.000M ± 70.711M events/sec (approximated from 2 samples of "
                      "~1000ms)";
  expect_has(lookup->summary({sample(), other}), first + "\ncpu12: lookup 125.000M ± 0.000M");
  expect_eq(figure(first, 0), 300.0);
  expect_eq(lookup->quiet_summary({sample()}, true), std::string("250.000\n125.000"));
  expect_eq(lookup->quiet_summary({sample()}, false), std::string("cpu01 250.000\ncpu12 125.000"));
}

TEST(report_of_sockets)
{
  auto report = sockmap_report();
  std::string iter = report->iter(1, 0, sample()), summary = report->summary({sample(), sample()});
  expect_eq(iter, std::string("Iter   1 (  0.000us): Send Speed    3.000 MB/s (  30.000 calls/s), "
                              "BPF Speed    2.000 MB/s, Rcv Speed    1.000 MB/s (  10.000 "
                              "calls/s)"));
  expect_eq(summary, std::string("Summary: total trans      004 MB ± 2.000 MB/s"));
  expect(gate::parse_upstream_line(iter).has_value(), iter);
  expect(gate::parse_upstream_line(summary).has_value(), summary);
}

TEST(report_of_timing)
{
  Sample slow = sample();
  slow.hit_rate = 0.25;
  auto report = timing_report("bpf-nop");
  std::string line = report->summary({slow, sample(), sample()});
  expect_eq(line, std::string("bpf-nop: median 4.00 ns/op, stddev 2.31, p99 8.00 (3 samples)"));
  expect_eq(figure(line, 0), 4.0);
  Sample nothing = sample();
  nothing.counts = {};
  expect_eq(report->summary({nothing}), std::string("No timing samples collected."));
}

TEST(report_of_grace_periods)
{
  auto report = tasks_trace_report();
  Sample one = sample();
  one.readings = {{"periods", 4}, {"period_ns", 10000}};
  std::string iter = "Iter 2\t avg tasks_trace grace period latency\t2500.000000 ns";
  std::string summary = "SUMMARY tasks_trace grace period latency\tavg 2.500 us\tstddev 0.000 us";
  expect_eq(report->iter(2, 0, one), iter);
  expect_eq(report->summary({one}), summary);
  expect_eq(figure(summary, 0), 2.5);
  one.readings["ticks"] = 1;
  expect_eq(report->iter(2, 0, one),
            iter + "\nIter 2\t avg ticks per tasks_trace grace period\t0.250000");
  expect_eq(report->summary({one}),
            summary + "\nSUMMARY ticks per tasks_trace grace period\tavg 0.250\tstddev 0.000");
  one.readings["periods"] = 0;
  expect_eq(report->iter(2, 0, one), std::string(""));
  expect_has(report->summary({one}), "none ended");
}

TEST(rates_of_cpus_begin_anew)
{
  PerCpuRates rates;
  Counts counts;
  counts.hits = 30;
  counts.ns = 10;
  rates.add(counts);
  Readings readings = rates.take();
  expect(readings.size() == 1 && readings.begin()->second == 3, "one CPU, 3 ops per ns");
  expect(rates.take().empty(), "nothing since");
}
