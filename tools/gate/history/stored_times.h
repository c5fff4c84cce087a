// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Times that can only be compared with stored ones, and what the history of runs makes of them.
//
// With eight accepted runs a prediction interval judges (prediction.h). With fewer there is no rule
// that keeps its false alarms: on the machine this was tried on, half of all pairs of runs of the
// same code had some time that was more than 25 % slower (docs/measurements.md). Such a row is
// inconclusive and says so, unless --stored-tolerance tells how far this machine drifts.
#pragma once

#include "tools/gate/history/prediction.h"
#include "tools/gate/judge/compare.h"

namespace gate
{

struct StoredRule {
  double tolerance = 0.05, alpha = 0.01; // fractions
  bool trusted = false; // the user told how far this machine drifts (--stored-tolerance)
  std::vector<Threshold> thresholds;
};

// Replaces the evidence of candidates measured apart. comp: the run that is judged, with samples.
// Returns a remark on how many rows were judged how.
std::string use_history(std::vector<Candidate> &candidates, const RunHistory &history,
                        const NewRun &run, const StoredRule &rule);

// What predict() needs to know of a run. against: changes are counted from this recording and not
// from the centre of the history; null: from the centre.
NewRun new_run(const result::Result &comp, const std::string &artefact, const Recording *against);

} // namespace gate
