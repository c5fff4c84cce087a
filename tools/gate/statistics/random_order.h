// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// All random choices of a run, from one seed. Written out, since the standard library's shuffle
// and distributions differ between libraries: a seed repeats a run byte for byte.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace gate
{

class RandomOrder {
public:
  explicit RandomOrder(uint64_t seed) : x_random(seed) {}

  bool coin() { return x_random() >> 63; }
  uint64_t below_2_63() { return x_random() >> 1; }

  template <class T> void shuffle(std::vector<T> &items)
  {
    for (size_t i = items.size(); i > 1; i--)
      std::swap(items[i - 1], items[x_random() % i]);
  }

  // Half of them true, in any order; of an odd number the last one by coin.
  std::vector<bool> balanced_coins(size_t count)
  {
    std::vector<char> coins(count);
    for (size_t i = 0; i < count; i++)
      coins[i] = i % 2;
    if (count % 2 && coin())
      coins[0] = 1;
    shuffle(coins);
    return {coins.begin(), coins.end()};
  }

private:
  std::mt19937_64 x_random;
};

} // namespace gate
