// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Comparisons made from recorded units, so that thousands of them cost no measuring.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "tools/gate/research/power/data.h"

namespace power
{

class Resample {
public:
  explicit Resample(uint64_t seed) : x_random(seed) {}

  // count different units, as they were measured, in any order: two draws differ even where they
  // take nearly all.
  std::vector<Unit> drawn(const Series &series, size_t count);

  // The same of an A/A series, and which side is called comp drawn anew: half of the first look's
  // units have comp second, and half of the rest. Valid because both sides are the same code: only
  // the order was real, and it stays with its unit. Drift, position and noise are as recorded.
  std::vector<Unit> relabelled(const Series &series, size_t count, size_t first_look);

  // Base of one round against comp of another, as a stored baseline is compared. Nothing with
  // fewer than two rounds.
  std::optional<std::vector<Unit>> apart(const Series &series, size_t count);

private:
  std::vector<size_t> places(const Series &series, size_t count);

  std::mt19937_64 x_random;
};

} // namespace power
