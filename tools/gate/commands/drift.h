// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What has added up since a release: many steps that were each within the tolerance, and accepted.
#pragma once

#include <string>
#include <vector>

#include "tools/gate/cli/options.h"
#include "tools/gate/report/report.h"
#include "tools/gate/history/store.h"

namespace gate
{

// since: the same rows measured against the anchor, judged with the budget as their tolerance. A
// row that regressed there regressed here too, whatever it is against its baseline, and whoever
// waived that; one of which it is not known there becomes incomparable.
void add_drift(Report &report, const std::vector<Row> &since, const std::string &anchor,
               double budget);

// The anchor of that name; empty: the one that was set last. Throws usage_error.
Anchor find_anchor(const Store &store, const std::string &name);

// For gate check: measures the anchor's executable beside the current one (or compares with its
// figures), then add_drift(). options: with their drift budget.
void check_drift(const Options &options, Report &report);

} // namespace gate
