// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What of two environments must be equal for their figures to be compared, and what is told.
// Nothing here looks at clock rates: the same machine calibrates to another MHz at each boot.
#pragma once

#include <string>
#include <vector>

#include "tools/lib/result.h"

namespace gate
{

enum class FingerprintClass {
  Refuse, // other figures are to be expected: never compared
  Warn,   // may be the cause of a change: told
  Record, // kept, and never looked at
};

// Of a member of the environment, "caches.L3" and the like by their first part. What this gate does
// not know is told.
FingerprintClass fingerprint_class(const std::string &member);

const char *to_string(FingerprintClass kind);

// One line "name: value" for each member of that class.
std::vector<std::string> fingerprint_lines(const Value &environment, FingerprintClass kind);

// All of it by class, for people and for programs.
std::string format_fingerprint(const Value &environment);
Value fingerprint_json(const Value &environment);

struct Differences {
  std::vector<std::string> refused; // incomparable: "cpus: 2 against 4"
  std::vector<std::string> warned;  // comparable, but it may be the cause
};

Differences compare_environments(const Value &base, const Value &comp);

// Of a machine class (cpu model, cpu count, architecture, hypervisor, accelerator): a text that is
// fit to be a file name and differs for different classes.
std::string class_name(const Value &environment);

bool same_kernel(const Value &base, const Value &comp);

std::string joined(const std::vector<std::string> &parts, const char *separator = ", ");

} // namespace gate
