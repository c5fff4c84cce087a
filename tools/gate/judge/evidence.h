// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The figures of one row as evidence for three claims: worse than the tolerance, better than it,
// proven not worse. Each claim has an exact, distribution-free p-value.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tools/gate/judge/verdict.h"

namespace gate
{

class Evidence {
public:
  virtual ~Evidence() = default;
  virtual double p_worse() const = 0;
  virtual double p_better() const = 0;
  virtual double p_not_worse() const = 0;
  // Estimate, interval and smallest detectable effect, on the scale of Row::change. level: of
  // either end of the interval. test_level: of the test whose power the last one tells.
  virtual double change() const = 0;
  virtual Interval interval(double level) const = 0;
  virtual double mde(double test_level) const = 0;
  // Units a side with which the claim that lies nearest would be proven, as far as these figures
  // tell; nothing when no affordable number would do.
  virtual std::optional<size_t> units_needed(double test_level, double proof_level) const = 0;
};

// One unit each: the log of comp / base of a pair measured back to back, and whether comp was the
// second of the two (loaded last, run last). Judged by the randomisation test of ranks.h against
// ln(1 + tolerance). Of a metric whose direction is unknown any change beyond the tolerance is one
// for the worse, here and below. planned_units: of the run whose smallest detectable effect is
// told, if more than these.
std::unique_ptr<Evidence> paired_evidence(const std::vector<double> &logs,
                                          const std::vector<bool> &comp_second, double tolerance,
                                          result::Better better, size_t planned_units);

// How far comp may be above base: limit(base) = max(base * (1 + relative), base + absolute).
struct Margin {
  double relative = 0;
  double absolute = 0;
};

// One figure a load, the two sides measured apart. Judged by the exact intervals of both medians:
// worse when they are further apart than the margin. This covers the spread between loads; what
// drifted between the two runs it cannot see.
std::unique_ptr<Evidence> apart_evidence(std::vector<double> base, std::vector<double> comp,
                                         Margin margin, result::Better better, bool relative);

} // namespace gate
