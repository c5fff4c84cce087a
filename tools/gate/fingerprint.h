// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What of two environments must be equal for their figures to be compared, and what is told.
// Nothing here looks at clock rates: the same machine calibrates to another MHz at each boot.
#pragma once

#include <string>
#include <vector>

#include "tools/lib/result.h"

namespace gate
{

struct Differences {
  std::vector<std::string> refused; // incomparable: "cpus: 2 against 4"
  std::vector<std::string> warned;  // comparable, but it may be the cause
};

Differences compare_environments(const result::json &base, const result::json &comp);

// Of a machine class (cpu model, cpu count, architecture, hypervisor, accelerator): a text that is
// fit to be a file name and differs for different classes.
std::string class_name(const result::json &environment);

bool same_kernel(const result::json &base, const result::json &comp);

std::string joined(const std::vector<std::string> &parts, const char *separator = ", ");

} // namespace gate
