// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/system/spawn.h"

#include <csignal>

#include "tools/gate/system/interrupt.h"

namespace gate
{

process::Options child_options()
{
  process::Options options = {.own_group = true, .grace_ms = grace_ms, .death_signal = SIGTERM};
  options.prepare = restore_signals;
  return options;
}

} // namespace gate
