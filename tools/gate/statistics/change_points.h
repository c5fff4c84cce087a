// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Where the level of a series changed for good. Pure functions; the same seed gives the same
// answer.
//
// Statistic: the largest standardised Wilcoxon rank sum, once over all places that split the series
// in two (Pettitt 1979, with the variance of each place divided out), and once over all stretches
// inside it (a level that came and went again, which no single split shows). Parts have at least
// three points. Ranks make a spike worth no more than a high point, and a spike alone is no part.
// A quarter of the level is spent on stretches.
//
// Critical values: the place is chosen to be extreme, so it is the maximum whose distribution is
// needed, and runs that follow each other are alike, which makes large maxima common. Both are
// taken from the series itself: normal scores of the residuals around the best fit are modelled as
// AR(1), its innovations are permuted, series are built from them and scanned in the same way. The
// lag-1 coefficient is corrected for what removing the fit takes from it, and one standard error is
// added: an estimate that is too small by chance would raise false alarms. (Permuting blocks of
// residuals instead keeps too little of the dependence: docs/measurements.md.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gate
{

// Points in [begin, end) with one level.
struct Segment {
  size_t begin = 0;
  size_t end = 0;
  double center = 0; // median
  double spread = 0; // sigma for normal noise, from the median distance to center
};

struct Change {
  size_t first = 0; // point of the new level
  // Where first lies with a probability of 95 %.
  size_t earliest = 0;
  size_t latest = 0;
  double p = 1; // of the stretch that was split here
};

struct Levels {
  std::vector<Segment> segments; // in order, without gaps; empty for no points
  std::vector<Change> changes;   // between them
  std::vector<size_t> outliers;  // points far from the centre of their segment
};

constexpr size_t shortest_segment = 3;

// P-value of "the level never changed". 1 for less than two shortest segments. level: at which the
// caller decides; p-values far above it are less exact than those around it. values: all finite.
double change_p_value(const std::vector<double> &values, double level, uint64_t seed);

// All changes by binary segmentation. level: chance of any false one.
Levels find_levels(const std::vector<double> &values, double level, uint64_t seed);

// One level, whatever the values.
Levels one_level(const std::vector<double> &values);

} // namespace gate
