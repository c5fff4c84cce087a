// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What has added up since a release: many steps that were each within the tolerance, and accepted.
#pragma once

#include <string>
#include <vector>

#include "tools/gate/judge/verdict.h"

namespace gate
{

// since: the same rows measured against the anchor, judged with the budget (a fraction) as their
// tolerance. A row that regressed there regressed here too, whatever it is against its baseline,
// and whoever waived that; one of which it is not known there becomes incomparable. Returns a
// remark on how many rows could be compared, and which moved furthest.
std::string add_drift(std::vector<Row> &rows, const std::vector<Row> &since,
                      const std::string &anchor, double budget);

} // namespace gate
