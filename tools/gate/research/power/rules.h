// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Rules that say "comp is slower" of the same units: that of the gate, and the published
// ones of its peers, written anew from their documentation.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/gate/judge/verdict.h"
#include "tools/gate/research/power/data.h"

namespace power
{

// One figure from the epochs of a load.
enum class Statistic { Floor, LowerQuartile, Median, Mean };
double figure_of(const std::vector<double> &epochs, Statistic statistic);

struct GateRule {
  Statistic statistic = Statistic::LowerQuartile;
  double tolerance = 0.01;
  double alpha = 0.01; // of the run: Holm's family is what the second look holds
  // Units of the first look, which only settles what is proven unchanged.
  size_t first_units = 20;
};

// ln(comp / base) of each unit, and whether comp was second.
struct Logs {
  std::vector<double> values;
  std::vector<bool> second;
};
Logs logs_of(const std::vector<Unit> &units, Statistic statistic);

// The verdicts of the gate on the rows of one run, as check reaches them in two looks.
std::vector<gate::Verdict> gate_verdicts(const std::vector<std::vector<Unit>> &rows,
                                         const GateRule &rule);

struct PeerRule {
  std::string name;
  bool (*slower)(const std::vector<Unit> &units);
  // It needs pairs, so it cannot be used on runs that were measured apart.
  bool paired = false;
};

const std::vector<PeerRule> &peer_rules();

} // namespace power
