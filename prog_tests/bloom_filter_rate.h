// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How many false positives a bloom filter may give. A filter of m bits with k hash functions says
// yes to a value it has not with chance X^k, X the share of set bits. X itself varies from seed to
// seed: after nk throws its mean is 1 - exp(-nk/m). The bound takes both into account, so that a
// right filter leaves it less than once in 1e9 runs.
#pragma once

#include <cstdint>

namespace bloom
{

struct Range {
  double low, high;
  bool has(double value) const { return low <= value && value <= high; }
};

// The bits of a filter made for max_entries (and hashes functions, 1 to 15): the product times
// 7/5, rounded up to a power of two, at least one long.
uint64_t bits_of(uint32_t max_entries, uint32_t hashes);

// The share of set bits after so many throws at random into bits.
Range fill_range(uint64_t bits, uint64_t throws);

// How many of queries values that were not pushed may be answered yes after pushed values.
Range false_positives(uint64_t bits, uint32_t hashes, uint64_t pushed, uint64_t queries);

} // namespace bloom
