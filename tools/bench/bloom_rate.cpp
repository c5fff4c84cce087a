// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/bloom_rate.h"

#include <bit>
#include <cmath>

namespace bench
{

BloomRate bloom_rate(uint64_t n, uint64_t k, double lookups)
{
  // Divided first, as the kernel does: near a power of two that decides.
  uint64_t bits = std::bit_ceil(n * k / 5 * 7);
  // The kernel: at least one long, at most 2^32 bits.
  double m = static_cast<double>(bits < 64 ? 64 : bits > 1ULL << 32 ? 1ULL << 32 : bits);
  double a = static_cast<double>(n) * k / m, empty = std::exp(-a), full = 1 - empty;
  double rate = std::pow(full, k);
  double fill_variance = empty * (1 - (1 + a) * empty) / m;
  double slope = k * std::pow(full, k - 1.0);
  double variance = rate * (1 - rate) / lookups + slope * slope * fill_variance;
  return {100 * rate, 100 * std::sqrt(variance)};
}

} // namespace bench
