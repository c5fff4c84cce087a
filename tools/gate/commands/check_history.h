// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What becomes of a run of gate check: it goes into the history, accepted or not, and why.
#pragma once

#include <string>

#include "tools/gate/history/store.h"
#include "tools/gate/report/report.h"

namespace gate
{

// A run that has been judged.
struct Checked {
  Series series;
  How how = How::Interleaved;
  std::string executable; // its bytes, read before it was measured
  std::string base_revision;
  uint64_t seed = 0;
  result::Result result; // of comp, with samples
};

// Accepted is what exits 0 without a waiver: nothing regressed and everything was compared. Only
// accepted runs count for predictions and trends, and no check ever becomes the baseline by itself.
// Returns a remark. A store that cannot be written costs the history, never the verdict.
std::string keep_checked(const Store &store, const Report &report, Checked checked);

} // namespace gate
