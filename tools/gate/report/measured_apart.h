// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Two results that were measured apart, as a report.
#pragma once

#include <map>
#include <string>

#include "tools/gate/judge/compare.h"
#include "tools/gate/report/report.h"

namespace gate
{

struct Comparison {
  Settings settings;
  bool allow_foreign = false; // another machine: compared, as advice only
  std::map<std::string, std::string> renames;
};

// report: with its command and policy; gets all else that is known. Remarks that are in it stay.
void compare_apart(result::Result base, const result::Result &comp, Comparison how, Report &report);

// The release and the build id of the kernel that a result was measured in, for people.
// The machine whose events were counted, too; "": none.
std::string model_of(const Value &environment);

std::string kernel_of(const Value &environment);

} // namespace gate
