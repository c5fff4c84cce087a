// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What becomes of a run of gate check: it goes into the history, accepted or not, and why.
#pragma once

#include <string>

#include "tools/gate/history/store.h"
#include "tools/gate/report/report.h"

namespace gate
{

// Accepted is what exits 0 without a waiver: nothing regressed and everything was compared. Only
// accepted runs count for predictions and trends, and no check ever becomes the baseline by itself.
// run: what was measured, how and against what; the rest is filled in here. executable: its bytes,
// read before it was measured. figures: of comp, with samples. Returns a remark. A store that
// cannot be written costs the history, never the verdict.
std::string keep_checked(const Store &store, const Report &report, Run run,
                         const std::string &executable, const result::Result &figures);

} // namespace gate
