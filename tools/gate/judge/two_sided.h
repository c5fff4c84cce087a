// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Evidence on a metric of which nobody told whether less or more is better: any change beyond the
// tolerance is one for the worse.
#pragma once

#include <memory>

#include "tools/gate/judge/evidence.h"

namespace gate
{

// lower, higher: the same figures judged as if less, and as if more, were better.
std::unique_ptr<Evidence> two_sided(std::unique_ptr<Evidence> lower,
                                    std::unique_ptr<Evidence> higher);

} // namespace gate
