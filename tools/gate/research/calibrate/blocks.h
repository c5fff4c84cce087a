// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The simpler rule that change_points.h is compared with: the same statistic, with critical values
// by permuting blocks of the residuals, as long as the lag-1 autocorrelation asks for.
#pragma once

#include <cstdint>
#include <vector>

namespace gate
{

// P-value of "the level never changed".
double block_p_value(const std::vector<double> &values, uint64_t seed);

} // namespace gate
