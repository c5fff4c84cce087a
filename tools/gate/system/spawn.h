// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How gate starts what it runs.
#pragma once

#include "tools/lib/process.h"

namespace gate
{

// How long a child has for its end, before it is killed.
inline constexpr long grace_ms = 2000;

// It dies with the gate, in a process group of its own, so that Ctrl-C reaches the gate alone,
// which then ends it in order. Signals are as they were before catch_interrupts().
process::Options child_options();

} // namespace gate
