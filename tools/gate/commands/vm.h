// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// record, check and ab where instructions are counted in virtual machines. Each prints its outcome
// and returns the exit code.
#pragma once

#include "tools/gate/cli/options.h"

namespace gate
{

int record_vm(const Options &options);
int check_vm(const Options &options);
int ab_vm(const Options &options);

} // namespace gate
