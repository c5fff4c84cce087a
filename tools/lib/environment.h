// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The machine and the kernel that figures were measured on: the member "environment" of
// docs/results.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

// Reads the machine. What it does not tell is absent; nothing is guessed. The toolchain is added by
// the caller, which knows what it was built with.
nlohmann::ordered_json read_environment();

// Now, in UTC: 2026-11-30T10:30:25Z.
std::string utc_now();
