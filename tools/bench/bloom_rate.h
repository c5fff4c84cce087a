// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The false-positive rate that a bloom filter should have.
#pragma once

#include <cstdint>

namespace bench
{

struct BloomRate {
  double pct;    // expected false positives among lookups of absent values, percent
  double sd_pct; // standard deviation of what one filter shows in that many lookups
};

// n: values in the filter; k: hash functions; lookups: distinct absent values looked up.
// Bloom's formula p = (1 - exp(-k n / m))^k, with the kernel's m = n k 7/5 rounded up to a power of
// two. The deviation has two parts: lookups are binomial, and so is how full this filter's bits
// got (variance of occupied cells, e^-a (1 - (1 + a) e^-a) / m with a = k n / m).
BloomRate bloom_rate(uint64_t n, uint64_t k, double lookups);

} // namespace bench
