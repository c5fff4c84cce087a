// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The null arm of a check: benchmarks that only loop and calculate (anchor-*), with the same
// executable on both sides, measured in turns with everything else. Whatever is found there is no
// change of code: it is the alarm for the environment.
#pragma once

#include <string>
#include <vector>

#include "tools/gate/judge/verdict.h"
#include "tools/gate/measure/interleave.h"

namespace gate
{

class NullArm {
public:
  // Finds the anchors of the executable; commands: those of the run, two are added. Without
  // anchors (an older bench, or another one) the arm is empty. Throws interrupted_error.
  NullArm(const std::string &bench, std::vector<Command> &commands, long timeout_ms);

  // To be measured with the rest; empty: there is no arm.
  std::vector<Task *> tasks(size_t units);

  // Judges what was measured last, without tolerance. True: the same code differs from itself, at
  // an error of alpha.
  bool judge_last(double alpha);

  // What judge_last() saw; not gated.
  const std::vector<Row> &rows() const { return x_rows; }

private:
  result::Result x_list; // anchors only
  std::vector<Task> x_tasks;
  std::vector<Row> x_rows;
};

} // namespace gate
