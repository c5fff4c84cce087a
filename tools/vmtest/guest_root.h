// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// --root host, in the guest.
#pragma once

#include "tools/vmtest/run_config.h"

namespace vmtest::guest
{

// Makes the host's files the root of this process, by virtiofs, below a layer in memory that takes
// what is written. What the guest has mounted comes along, but for /tmp; the root is a mount, so
// that pivot_root and user namespaces work. All modules are inserted, since they are out of reach
// afterwards, and are no longer in config. Throws std::runtime_error.
void enter_host_root(RunConfig &config);

} // namespace vmtest::guest
