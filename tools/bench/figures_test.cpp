// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How counts become figures: the bloom filter's formula, means, samples by the right clock, and
// epochs of whole cycles.
#include <cmath>

#include "tools/bench/bloom_rate.h"
#include "tools/bench/reports.h"
#include "tools/bench/runner.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench;

TEST(bloom_rate_of_known_filters)
{
  auto by_hand = [](double n, double k, double m) {
    return 100 * std::pow(1 - std::exp(-k * n / m), k);
  };
  const double bits[] = {131072, 262144, 262144, 524288, 524288};
  for (int k = 1; k <= 5; k++)
    expect_near(bloom_rate(50000, k, 1e6).pct, by_hand(50000, k, bits[k - 1]), 1e-9);
  expect_near(bloom_rate(50000, 1, 1e6).pct, 31.71, 0.005);
  expect_near(bloom_rate(50000, 3, 1e6).pct, 8.27, 0.005);
}

TEST(bloom_rate_of_sizes_at_the_edges)
{
  auto rate = [](double n, double k, double m) {
    return 100 * std::pow(1 - std::exp(-k * n / m), k);
  };
  expect_near(bloom_rate(1, 1, 1e6).pct, rate(1, 1, 64), 1e-9);
  expect_near(bloom_rate(45, 1, 1e6).pct, rate(45, 1, 64), 1e-9);    // 63 bits
  expect_near(bloom_rate(50, 1, 1e6).pct, rate(50, 1, 128), 1e-9);   // 70 bits
  expect_near(bloom_rate(184, 1, 1e6).pct, rate(184, 1, 256), 1e-9); // 36 * 7, not 184 * 7 / 5
  expect_near(bloom_rate(UINT32_MAX, 15, 1e6).pct, rate(UINT32_MAX, 15, 4294967296.0), 1e-9);
}

TEST(bloom_rate_deviation_shrinks_with_lookups)
{
  auto few = bloom_rate(50000, 3, 1e3), many = bloom_rate(50000, 3, 1e6);
  expect_eq(few.pct, many.pct);
  // A thousand lookups: nearly all of it is binomial.
  expect_near(few.sd_pct, 100 * std::sqrt(0.08273 * (1 - 0.08273) / 1e3), 0.01);
  expect(many.sd_pct < few.sd_pct / 5 && many.sd_pct > 0);
}

TEST(mean_and_stddev)
{
  expect_eq(mean_stddev({5}).mean, 5.0);
  expect_eq(mean_stddev({5}).stddev, 0.0);
  auto several = mean_stddev({2, 4, 4, 4, 5, 5, 7, 9});
  expect_near(several.mean, 5, 1e-12);
  expect_near(several.stddev, std::sqrt(32.0 / 7), 1e-12);
  expect(std::isnan(mean_stddev({}).mean), "of nothing");
}

static Counts counts(uint64_t hits, uint64_t drops, uint64_t ns)
{
  Counts value;
  value.hits = hits;
  value.drops = drops;
  value.ns = ns;
  return value;
}

TEST(sample_on_own_cpus_takes_the_time_in_the_kernel)
{
  Sample sample =
      make_sample({counts(100, 0, 50), counts(0, 0, 0)},
                  {counts(1100, 500, 2050), counts(3000, 0, 1000)}, 1e6, false, {{"memory", 1.5}});
  expect_near(sample.hit_rate, 1000.0 / 2000 + 3000.0 / 1000, 1e-12);
  expect_near(sample.drop_rate, 500.0 / 2000, 1e-12);
  expect_eq(sample.producers, 2u);
  expect_eq(sample.counts.hits, 4000u);
  expect_eq(sample.counts.ns, 3000u);
  expect_eq(sample.readings.at("memory"), 1.5);
  expect_near(latency_ns(sample), 2 / 3.75, 1e-12);
}

TEST(sample_on_a_shared_cpu_takes_the_interval)
{
  Sample sample = make_sample({counts(0, 0, 0), counts(0, 0, 0)},
                              {counts(1000, 0, 2000), counts(3000, 1000, 1000)}, 10000, true, {});
  expect_near(sample.hit_rate, 4000.0 / 10000, 1e-12);
  expect_near(sample.drop_rate, 1000.0 / 10000, 1e-12);
  expect_near(latency_ns(sample), 2 / 0.5, 1e-12);
}

TEST(sample_of_nothing_has_no_latency)
{
  Sample sample = make_sample({counts(7, 7, 7)}, {counts(7, 7, 7)}, 1e6, false, {});
  expect_eq(sample.hit_rate, 0.0);
  expect(std::isnan(latency_ns(sample)) && std::isnan(net_latency_ns(sample)));
}

TEST(sample_net_latency_takes_the_base_off)
{
  Sample sample;
  sample.counts = counts(100, 100, 5000);
  sample.counts.base_ops = 100;
  sample.counts.base_ns = 500;
  expect_near(net_latency_ns(sample), 20, 1e-12);
}

TEST(cpus_of_producers)
{
  expect(producer_cpus(3, {4, 2, 9}) == std::vector<int>{4, 2, 9});
  expect(producer_cpus(1, {4, 2}) == std::vector<int>{4});
  expect_throws([] { producer_cpus(3, {4, 2}); }, "need CPU #2 or higher");
  expect_eq(producer_cpus(300, {}).size(), 300u);
  expect(share_cpu(producer_cpus(5000, {})), "more producers than CPUs");
  expect(share_cpu({1, 2, 1}) && !share_cpu({1, 2, 3}) && !share_cpu({1}));
}

TEST(epochs_are_whole_cycles)
{
  auto ops = [](uint64_t cycle, uint64_t nr) {
    Descriptor descriptor;
    descriptor.cycle = [cycle](const Params &) { return cycle; };
    return whole_cycles(descriptor, {}, nr);
  };
  expect_eq(ops(1, 0), 1u);
  expect_eq(ops(1, 12345), 12345u);
  expect_eq(ops(1000, 1), 1000u);
  expect_eq(ops(1000, 1000), 1000u);
  expect_eq(ops(1000, 1001), 2000u);
  expect_eq(ops(1, 1 << 23), 1u << 23);
  expect_eq(ops(1000, 1 << 23), 8388000u); // never above what one loop takes
  expect_eq(ops(9000000, 5), 9000000u);    // but never less than a cycle
}

TEST(counts_add_and_subtract)
{
  Counts one{1, 2, 3, 4, 5, 6, 7}, sum = one;
  sum += one;
  Counts difference = sum - one;
  expect(difference.hits == 1 && difference.drops == 2 && difference.false_hits == 3);
  expect(difference.absent == 4 && difference.ns == 5 && difference.base_ops == 6);
  expect(difference.base_ns == 7 && sum.base_ns == 14 && sum.ops() == 6);
}
