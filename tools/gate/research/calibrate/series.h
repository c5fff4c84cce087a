// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Series without a change, of kinds that benchmark histories show. Standard deviation about 1.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace gate
{

enum class NoiseKind { Normal, Spiky, Dependent, DependentSpiky, HeavyTails, Rounded };

constexpr std::array noise_kinds = {NoiseKind::Normal,     NoiseKind::Spiky,
                                    NoiseKind::Dependent,  NoiseKind::DependentSpiky,
                                    NoiseKind::HeavyTails, NoiseKind::Rounded};

inline const char *to_string(NoiseKind kind)
{
  static constexpr std::array names = {"normal",
                                       "normal, 5 % spikes of 10 sigma",
                                       "AR(1), rho 0.5",
                                       "AR(1), rho 0.5, 5 % spikes of 10 sigma",
                                       "Student's t, 2 degrees of freedom",
                                       "normal, rounded to whole sigmas"};
  return names[static_cast<size_t>(kind)];
}

class NoiseSource {
public:
  NoiseSource(NoiseKind kind, uint64_t seed) : x_kind(kind), x_random(seed) {}

  std::vector<double> series(size_t points)
  {
    x_state = x_normal(x_random);
    std::vector<double> values;
    for (size_t i = 0; i < points; i++)
      values.push_back(next());
    return values;
  }

private:
  double next()
  {
    constexpr double rho = 0.5, spike = 10;
    bool dependent = x_kind == NoiseKind::Dependent || x_kind == NoiseKind::DependentSpiky;
    bool spiky = x_kind == NoiseKind::Spiky || x_kind == NoiseKind::DependentSpiky;
    double value = x_normal(x_random);
    if (dependent)
      value = x_state = rho * x_state + std::sqrt(1 - rho * rho) * value;
    if (x_kind == NoiseKind::HeavyTails)
      value = x_heavy(x_random);
    if (spiky && x_random() % 20 == 0)
      value += spike;
    return x_kind == NoiseKind::Rounded ? std::round(value) : value;
  }

  NoiseKind x_kind;
  std::mt19937_64 x_random;
  std::normal_distribution<double> x_normal;
  std::student_t_distribution<double> x_heavy{2};
  double x_state = 0;
};

} // namespace gate
