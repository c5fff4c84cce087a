// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Machines made up to mislead a gate: drift, bursts, modes, heavy tails, an effect of position. For
// the unit tests of the decisions and for tools/gate/power. Seeded: each run repeats the last one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace gate
{

// What a machine adds to the logs of the times of one unit.
struct Machine {
  const char *name = "quiet";
  double sigma = 0.01;     // of one load
  double drift = 0;        // over the whole run
  double burst = 0;        // share of loads that are hit
  double modes = 0;        // distance of two modes that a load falls into by chance
  double position = 0;     // what the second of a pair gains
  bool heavy_tail = false; // Cauchy instead of normal
};

inline const std::vector<Machine> &hostile_machines()
{
  static const std::vector<Machine> machines = {
      {.name = "normal noise, 1 %", .sigma = .01},
      {.name = "5 % noise, drift of 50 %", .sigma = .05, .drift = .5},
      {.name = "30 % of loads hit by bursts", .sigma = .01, .burst = .3},
      {.name = "two modes 8 % apart", .sigma = .005, .modes = .08},
      {.name = "position 5 %", .sigma = .01, .drift = .04, .position = .05},
      {.name = "position 25 %", .sigma = .02, .position = .25},
      {.name = "heavy tails", .sigma = .01, .heavy_tail = true},
      {.name = "all of it, heavy tails",
       .sigma = .05,
       .drift = .3,
       .burst = .1,
       .modes = .05,
       .position = .1,
       .heavy_tail = true},
  };
  return machines;
}

// One figure a unit and side, in ns.
struct SimulatedUnits {
  std::vector<double> base, comp;
  std::vector<bool> comp_second;
};

class Simulation {
public:
  Simulation(Machine machine, uint64_t seed) : x_machine(machine), x_random(seed) {}

  // comp slower by effect (a fraction); balanced random order.
  SimulatedUnits units(size_t count, double effect)
  {
    SimulatedUnits units;
    units.comp_second = balanced(count);
    for (size_t i = 0; i < count; i++) {
      double first = time(2 * i, 2 * count, 0), second = time(2 * i + 1, 2 * count, 1);
      bool comp_second = units.comp_second[i];
      units.base.push_back(comp_second ? first : second);
      units.comp.push_back((comp_second ? second : first) * (1 + effect));
    }
    return units;
  }

private:
  std::vector<bool> balanced(size_t count)
  {
    std::vector<char> coins(count);
    for (size_t i = 0; i < count; i++)
      coins[i] = i % 2;
    std::shuffle(coins.begin(), coins.end(), x_random);
    return {coins.begin(), coins.end()};
  }

  double time(size_t i, size_t all, int place)
  {
    double log = noise() + x_machine.drift * i / all - place * x_machine.position;
    return 100 * std::exp(log);
  }

  double noise()
  {
    double value =
        x_machine.sigma * (x_machine.heavy_tail ? x_cauchy(x_random) : x_normal(x_random));
    if (x_uniform(x_random) < x_machine.burst)
      value += 3 * x_uniform(x_random);
    if (x_uniform(x_random) < 0.5)
      value += x_machine.modes;
    return std::clamp(value, -20.0, 20.0);
  }

  Machine x_machine;
  std::mt19937_64 x_random;
  std::normal_distribution<double> x_normal;
  std::cauchy_distribution<double> x_cauchy;
  std::uniform_real_distribution<double> x_uniform;
};

} // namespace gate
