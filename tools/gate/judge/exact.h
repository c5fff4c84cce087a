// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The rule for exact metrics: no test. A change counts when it exceeds a tolerance, which is the
// larger of a floor and of what the loads of both sides differ by among themselves.
//
// The spread of a side is the largest distance of a load from that side's median. A change beyond
// the sum of both spreads means that every load of one side lies beyond every load of the other,
// and by more than either scatters. Of two sides of five loads that come from one distribution,
// such a change is found in less than 3 of 1000, whatever the distribution (two equally frequent
// modes are the worst); docs/measurements.md tells how often it happened where nothing had changed.
#pragma once

#include <string_view>
#include <vector>

namespace gate
{

constexpr const char *count_unit = "insns/op";
constexpr double default_count_tolerance = 0.002;

// Of a modelled machine (docs/model.md).
constexpr const char *event_unit = "events/op";

// The least tolerance of a kind of event is the larger of a fraction and of so many an op. What is
// less than that many is compared by its difference. Both have to be exceeded, since a tenth more
// of next to nothing is next to nothing, and one more of many may be chance.
struct EventFloor {
  double relative = 0;
  double absolute = 0;
};
// metric: "modelled_<event>"; others have no floor. insns: of an op, in base. So many events are
// tolerated of an op of 500 instructions and of shorter ones, of a longer one as many times more:
// an op that takes 30,000 is a batch of others.
EventFloor event_floor(std::string_view metric, double insns);

struct Exact {
  double change = 0;    // median of comp against median of base
  double spread = 0;    // of both sides together
  double tolerance = 0; // what |change| must exceed to count; at least the spread
};

// base, comp: one figure a load, finite, not empty. relative: change, spread and tolerance are
// fractions of the medians, else differences. floor: the least tolerance, on the same scale.
Exact judge_exact(const std::vector<double> &base, const std::vector<double> &comp, double floor,
                  bool relative);

} // namespace gate
